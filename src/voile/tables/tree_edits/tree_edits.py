"""Edit the tree of a column by hand. Every edit returns another tree of the same values, so the one before is still
there to go back to. A group that is named by its values, `{A|B}`, is named anew when they change."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from voile.errors import SchemaError
from voile.tables.hierarchy_builders import flatten_tree
from voile.tables.tree_edits.nested_labels import Labels, Path, fold_labels, list_paths, restate_sets, unfold_tree
from voile.tables.value_text import MISSING, TOP


def move_labels(nested: Mapping[str, Any], labels: Sequence[Sequence[str]], to: Sequence[str] = ()) -> dict[str, Any]:
    """Move labels, and what is below them, into the group `to`, or to the top. A group that becomes empty goes.

    `nested` is a tree as `vl.tree` takes it; a label is named by its path, from the top down.

    >>> move_labels({"Europe": ["FR", "TR"], "Asia": ["JP"]}, [("Europe", "TR")], to=("Asia",))
    {'Europe': ['FR'], 'Asia': ['JP', 'TR']}
    """
    tree, target = _copy_labels(nested), tuple(to)
    paths = _check_paths(tree, labels, least=1)
    if target:
        _find_below(tree, target)
        _refuse_value(tree, target, "Labels can be moved into groups only.", "Merge values to make a group of them.")
    if any(target[: len(path)] == path for path in paths):
        raise _edit_error("A group cannot be moved into itself.", "Choose a group that does not lie below it.")
    moved = [(path[-1], _find_below(tree, path)) for path in paths if path[:-1] != target]
    below = _find_below(tree, target)
    for path in paths:
        if path[:-1] != target:
            del _find_below(tree, path[:-1])[path[-1]]
    _add_labels(below, moved)
    _drop_empty(tree, [path[:-1] for path in paths])
    return _check_tree(restate_sets(unfold_tree(nested), tree))


def rename_group(nested: Mapping[str, Any], group: Sequence[str], name: str) -> dict[str, Any]:
    """Give a group another name. Values keep theirs, because they are what the table holds.

    >>> rename_group({"Europe": ["FR"], "Asia": ["JP"]}, ("Asia",), "the East")
    {'Europe': ['FR'], 'the East': ['JP']}
    """
    tree = _copy_labels(nested)
    (path,) = _check_paths(tree, [group], least=1)
    _refuse_value(tree, path, "A value of the table cannot be renamed.", "Rename the group above it.")
    _replace_label(tree, path, _check_name(tree, name, [path]), _find_below(tree, path))
    return _check_tree(tree)


def merge_groups(nested: Mapping[str, Any], labels: Sequence[Sequence[str]], name: str = "") -> dict[str, Any]:
    """Merge groups into one that stands where the first stood, under its name or another. Values among them become
    members, so that merging values alone makes a new group.

    >>> merge_groups({"Europe": ["FR"], "Asia": ["JP"], "Africa": ["EG"]}, [("Asia",), ("Africa",)], "elsewhere")
    {'Europe': ['FR'], 'elsewhere': ['JP', 'EG']}
    """
    tree = _copy_labels(nested)
    paths = _check_paths(tree, labels, least=2)
    groups = [path for path in paths if _find_below(tree, path)]
    if not name.strip() and not groups:
        raise _edit_error("The new group has no name.", "Write one.")
    name = _check_name(tree, name, groups) if name.strip() else groups[0][-1]
    members: Labels = {}
    for path in paths:
        below = _find_below(tree, path)
        _add_labels(members, [*below.items()] if below else [(path[-1], {})])
    for path in paths[1:]:
        del _find_below(tree, path[:-1])[path[-1]]
    _replace_label(tree, paths[0], name, members)
    _drop_empty(tree, [path[:-1] for path in paths[1:]])
    return _check_tree(restate_sets(unfold_tree(nested), tree))


def _copy_labels(nested: Mapping[str, Any]) -> Labels:
    return copy.deepcopy(unfold_tree(nested))


def _check_paths(tree: Labels, labels: Sequence[Sequence[str]], least: int) -> list[Path]:
    """Return the paths of labels, each once and none that lies below another of them."""
    paths = [*dict.fromkeys(tuple(path) for path in labels)]
    for path in paths:
        _find_below(tree, path)
    if () in paths:
        raise _edit_error("The root of a tree stays as it is.", "Choose labels below it.")
    paths = [path for path in paths if not any(path[:depth] in paths for depth in range(1, len(path)))]
    if len(paths) < least:
        needed = "a label" if least == 1 else f"{least} labels, none of them below another"
        raise _edit_error("Too few labels are chosen.", f"Choose {needed}.")
    return paths


def _find_below(tree: Labels, path: Path) -> Labels:
    """Return the labels below the one at a path."""
    below = tree
    for label in path:
        if label not in below:
            raise _edit_error("The tree has no such label.", "Name it by its path, from the top down.")
        below = below[label]
    return below


def _refuse_value(tree: Labels, path: Path, message: str, hint: str) -> None:
    if not _find_below(tree, path):
        raise _edit_error(message, hint)


def _check_name(tree: Labels, name: str, replaced: Sequence[Path]) -> str:
    """Return the name of a group, or raise if it is none, or the name of a label that stays: what is published must
    mean one thing."""
    name = name.strip()
    if not name or not name.isprintable():
        raise _edit_error("The group has no name that can be printed.", "Write one on one line.")
    if name in (TOP, MISSING):
        raise _edit_error(f"A group cannot be called {name!r}, which has a meaning of its own.", "Choose another name.")
    if any(path[-1] == name for path, _ in list_paths(tree) if path not in replaced):
        raise _edit_error("Another label of the tree has this name.", "Choose another one, or merge the two groups.")
    return name


def _add_labels(below: Labels, added: Sequence[tuple[str, Labels]]) -> None:
    for name, node in added:
        if name in below:
            raise _edit_error("Two labels of the same name would stand side by side.", "Rename or merge them first.")
        below[name] = node


def _replace_label(tree: Labels, path: Path, name: str, below: Labels) -> None:
    """Put another label where one stands, in the same order."""
    siblings = _find_below(tree, path[:-1])
    replaced = [(name, below) if label == path[-1] else (label, node) for label, node in siblings.items()]
    siblings.clear()
    _add_labels(siblings, replaced)


def _drop_empty(tree: Labels, groups: Sequence[Path]) -> None:
    """Remove those of these groups that have become empty, and the groups above that become empty by it."""
    emptied = {path[:depth] for path in groups for depth in range(1, len(path) + 1)}
    for path in sorted(emptied, key=len, reverse=True):
        siblings = _find_below(tree, path[:-1])
        if not siblings[path[-1]]:
            del siblings[path[-1]]


def _check_tree(tree: Labels) -> dict[str, Any]:
    """Return a tree in the form that `vl.tree` takes, or raise if a label would have two parents at one level."""
    nested = fold_labels(tree)
    levels = [*zip(*flatten_tree("", nested), strict=True)]
    for finer, coarser in itertools.pairwise(levels):
        if len({*zip(finer, coarser, strict=True)}) > len(set(finer)):
            raise _edit_error("Two groups of the same name would stand at one level.", "Rename or merge them first.")
    return nested


def _edit_error(message: str, hint: str) -> SchemaError:
    return SchemaError(message, code="schema.tree-edit", hint=hint)
