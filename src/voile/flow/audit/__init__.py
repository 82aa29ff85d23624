"""Attack a release and compare belief with the promise."""
