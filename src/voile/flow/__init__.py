"""The sentence, one verb a file, in the order data travels: read, publish, verify, audit, measure, report."""
