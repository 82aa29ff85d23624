"""From a request as text (a spec, flags, a form) to the objects it asks for."""
