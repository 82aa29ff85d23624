"""Pool what an analysis finds in each completion of a release."""
