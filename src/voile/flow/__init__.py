"""The verbs, one folder per verb, in the order data travels: read, publish, verify, audit, measure, report."""
