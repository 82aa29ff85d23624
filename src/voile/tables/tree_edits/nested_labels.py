"""A tree as labels inside labels, which is easier to edit than nested dicts and lists: a value has nothing below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from voile.tables.value_text import TOP, escape, format_set, format_value, split_set

Labels = dict[str, Any]  # from each label to the labels below it
Path = tuple[str, ...]  # of a label: from the top down


def unfold_tree(nested: Mapping[str, Any]) -> Labels:
    """Return the labels of nested dicts whose innermost values are lists. A group of one value with the same name is
    that value, and the root is not a label.

    >>> unfold_tree({"Europe": ["FR", "IT"], "JP": ["JP"]})
    {'Europe': {'FR': {}, 'IT': {}}, 'JP': {}}
    """
    labels = {str(name): _unfold_node(str(name), node) for name, node in nested.items()}
    return labels[TOP] if [*labels] == [TOP] else labels


def _unfold_node(name: str, node: Any) -> Labels:
    below = unfold_tree(node) if isinstance(node, Mapping) else {format_value(leaf): {} for leaf in node}
    return {} if below == {name: {}} else below


def fold_labels(labels: Labels) -> dict[str, Any]:
    """Return labels as nested dicts whose innermost values are lists of leaves, as `tree` takes them.

    >>> fold_labels({"Europe": {"FR": {}, "IT": {}}, "JP": {}})
    {'Europe': ['FR', 'IT'], 'JP': ['JP']}
    """
    folded = _fold_below(labels)
    return folded if isinstance(folded, dict) else {TOP: folded}  # values only: nothing between them and the root


def _fold_below(labels: Labels) -> dict[str, Any] | list[str]:
    if not any(labels.values()):
        return [*labels]
    return {name: _fold_below(below) if below else [name] for name, below in labels.items()}


def restate_sets(before: Labels, after: Labels) -> Labels:
    """Return the labels after an edit, in which a group that was named by its values is named by those that it has now:
    a set that a recipient reads must say what it stands for.

    >>> restate_sets({"{A|B}": {"A": {}, "B": {}}, "C": {}}, {"{A|B}": {"A": {}, "B": {}, "C": {}}})
    {'{A|B|C}': {'A': {}, 'B': {}, 'C': {}}}
    """
    sets = {name for name, values in _list_groups(before) if _lists(name, values)}

    def restate(labels: Labels) -> Labels:
        restated: Labels = {}
        for name, below in labels.items():
            values = _list_values(below)
            stale = bool(below) and name in sets and not _lists(name, values)
            fresh = name if not stale else values[0] if len(values) == 1 else format_set(values)
            fresh = name if fresh in labels or fresh in restated else fresh
            restated[fresh] = {} if [fresh] == values else restate(below)
        return restated

    return restate(after)


def _lists(name: str, values: list[str]) -> bool:
    """Whether a name is the set of these values, in any order."""
    return name[:1] == "{" and name[-1:] == "}" and sorted(split_set(name[1:-1])) == sorted(map(escape, values))


def _list_groups(labels: Labels) -> Iterator[tuple[str, list[str]]]:
    for name, below in labels.items():
        if below:
            yield name, _list_values(below)
            yield from _list_groups(below)


def _list_values(labels: Labels) -> list[str]:
    return [value for name, below in labels.items() for value in (_list_values(below) if below else [name])]


def list_paths(labels: Labels, above: Path = ()) -> Iterator[tuple[Path, bool]]:
    """List the path of every label, from the top down, and whether it is a group."""
    for name, below in labels.items():
        yield (*above, name), bool(below)
        yield from list_paths(below, (*above, name))
