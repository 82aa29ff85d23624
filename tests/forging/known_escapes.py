"""Named forgeries that verify does not notice yet; a line goes as soon as its forgery is noticed."""

from __future__ import annotations

HANGING: frozenset[str] = frozenset()
KNOWN_ESCAPES: frozenset[str] = frozenset()
_ON_DISK_ONLY: frozenset[str] = frozenset()
_IN_MEMORY_ONLY: frozenset[str] = frozenset()
KNOWN_ESCAPES_ON_DISK = (KNOWN_ESCAPES | _ON_DISK_ONLY) - _IN_MEMORY_ONLY
