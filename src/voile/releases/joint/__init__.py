"""Several releases of the same people taken together: worlds in which everybody has one value that all groups show."""
