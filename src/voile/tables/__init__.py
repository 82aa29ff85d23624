"""People as rows of integer codes: schema, domains, hierarchies, and the protocols that engines fulfil."""
