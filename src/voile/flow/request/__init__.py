"""From a request as text (a spec, flags, a form) to objects."""
