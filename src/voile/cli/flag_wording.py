"""How error messages at the command line write an option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voile.errors import Mention

SINGULAR = {"kinds": "kind", "domains": "domain"}  # flags that are repeated per column


def write_flag(mention: Mention) -> str:
    """Write a mention as a user types it at the command line.

    >>> write_flag(Mention("option", "encoding", "latin-1")), write_flag(Mention("option", "force", True))
    ('--encoding latin-1', '--force')
    >>> write_flag(Mention("option", "rows_per_person", 1))
    '--rows-per-person 1'
    >>> write_flag(Mention("option", "model", "l-diversity", {"l": 3, "form": "entropy"}))
    '--model l-diversity:l=3,form=entropy'
    >>> write_flag(Mention("parameter", "distance", "equal")), write_flag(Mention("recipe", "prefixes", [5, 3, 1]))
    ('distance=equal', 'prefixes:5,3,1')
    """
    if mention.family == "recipe":
        return f"{mention.name}:{_write_value(mention.value)}" if mention.value else mention.name
    if mention.family == "parameter":
        return mention.name if mention.value is None else f"{mention.name}={_write_value(mention.value)}"
    flag = "--" + SINGULAR.get(mention.name, mention.name).replace("_", "-")
    if mention.value is None or mention.value is True:
        return flag
    knobs = ",".join(f"{name}={_write_value(value)}" for name, value in mention.knobs.items())
    text = _write_value(mention.value) + (f":{knobs}" if knobs else "")
    return f"{flag} '{text}'" if set(text) & set(" ;|*") else f"{flag} {text}"


def _write_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "|".join(f"{key}={part}" for key, part in value.items())
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
