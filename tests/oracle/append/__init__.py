"""Somebody who keeps every release of a growing table: worlds, and random sequences of releases."""
