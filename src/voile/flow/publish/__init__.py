"""Turn microdata into a release that keeps its promise."""
