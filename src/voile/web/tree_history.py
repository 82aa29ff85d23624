"""The edits of one column's tree, to go back and forth between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MOST = 50  # versions of one tree


@dataclass
class TreeHistory:
    """Versions of a tree: each is nested dicts whose innermost values are lists, or the recipe of a tree.

    >>> history = TreeHistory()
    >>> history.put("auto", {"Europe": ["FR", "IT"]})
    >>> history.at(-1), history.at(1)
    ('auto', None)
    """

    versions: list[Any] = field(default_factory=list)
    position: int = 0
    shown: dict[str, Any] = field(default_factory=dict)  # as the page drew it last

    def at(self, steps: int) -> Any:
        """Return the version so many steps later, or earlier; None if there is none."""
        place = self.position + steps
        return self.versions[place] if 0 <= place < len(self.versions) else None

    def put(self, before: Any, after: Any) -> None:
        """Add a version after the one that holds now. If another one holds, it was changed elsewhere: start anew."""
        if self.at(0) != before:
            self.versions, self.position = [before], 0
        if after != before:
            self.versions = [*self.versions[: self.position + 1], after][-MOST:]
            self.position = len(self.versions) - 1

    def move(self, steps: int) -> None:
        """Let another version hold."""
        self.position += steps
