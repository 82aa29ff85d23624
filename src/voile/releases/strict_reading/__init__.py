"""Read a published folder strictly: whatever is not known, not described or has two meanings is a fault."""
