"""Attack a release and compare the beliefs with the promise."""
