"""What is promised: one file a privacy model."""
