"""What is promised: one file or folder per privacy model."""
