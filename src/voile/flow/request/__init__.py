"""Turn a request as text (a spec, flags, a form) into objects."""
