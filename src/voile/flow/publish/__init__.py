"""From microdata to a release that keeps its promise."""
