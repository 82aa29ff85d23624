"""What a code list is: codes that anybody can look up, and the groups above them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

Path = tuple[str, ...]  # the labels above a code, the nearest first


@dataclass(frozen=True)
class CodeList:
    """A public list: `place` returns the labels above a code, or None if the list lacks it; `list_codes` returns all
    codes below a label that are written like these examples, whether they occur in a table or not; none if they are
    too many to be listed. `others` tests codes for other lists or editions, by their name. `rivals` are lists of short
    codes of which many are also codes of this one, and `share` is how many values, and how many rows, must be of it.
    """

    name: str
    edition: int
    title: str
    source: str
    place: Callable[[str], Path | None]
    list_codes: Callable[[Sequence[str]], Mapping[str, tuple[str, ...]]]
    others: Mapping[str, Callable[[str], bool]] = field(default_factory=dict)
    rivals: Sequence[Callable[[str], bool]] = ()
    share: float = 0.8

    def count_unknown(self, codes: Sequence[str]) -> int:
        """Count the codes that the list does not have."""
        return sum(self.place(code) is None for code in codes)

    def guess_other(self, codes: Sequence[str]) -> str:
        """Name the list or edition that the codes seem to be of instead; empty if none fits most of them."""
        unknown = [code for code in codes if self.place(code) is None]
        for title, test in self.others.items():
            if unknown and 2 * sum(map(test, unknown)) > len(unknown):
                return title
        return ""


def name_unlisted(code: str, labels: Collection[str]) -> str:
    """Return the label of a value that a list lacks: the value itself, unless codes of the list have it as a label."""
    return f"the value {code}" if code in labels else code


def match_codes(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """Return a test for codes that are written like a pattern."""
    return lambda code: pattern.fullmatch(code) is not None


def group_codes(paths: Mapping[str, Path]) -> dict[str, tuple[str, ...]]:
    """List the codes below each label of a list that is written out in full."""
    below: dict[str, list[str]] = {}
    for code, path in paths.items():
        for label in dict.fromkeys(path):
            below.setdefault(label, []).append(code)
    return {label: tuple(codes) for label, codes in below.items()}
