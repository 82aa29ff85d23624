"""What a project says to a command: the table and what is asked of it, its releases, and the ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voile.cli.unused_options import refuse_unused
from voile.errors import SpecError

if TYPE_CHECKING:
    from voile.flow.project.project import Project
    from voile.io.spec_files import Spec

OptionalSource = Annotated[
    str | None,
    typer.Argument(metavar="INPUT", help="A table file, or a database URL; left out if a project names it."),
]
OptionalFolder = Annotated[
    Path | None, typer.Argument(metavar="DIR", help="A release folder; left out if a project names it.")
]
ProjectName = Annotated[
    str | None,
    typer.Option(
        "--project", metavar="NAME|DIR", help="A project: it names the table, what is asked, and the earlier releases."
    ),
]
ProjectTableName = Annotated[
    str | None, typer.Option("--table", help="A table of the project; by default, the last one worked on.")
]


def find_project(text: str) -> tuple[str, Path | None]:
    """Return the name of a project and, if a folder was given, the folder that it is in."""
    path = Path(text)
    if path.name != text or (path / "project.toml").is_file():
        return path.resolve().name, path.resolve().parent
    return text, None


def open_project(text: str) -> Project:
    """Open a project by its name or its folder."""
    from voile.flow.project.project import Project

    return Project.open(*find_project(text))


def read_project_request(
    project: str | None, table: str | None, source: str | None, spec: Path | None, history: dict[str, Any]
) -> tuple[str, Path | Spec | None]:
    """Return the table to read, and the spec: those of a project if one is named, else those that were given. `history`
    are the flags that a project takes the place of."""
    from voile.io.spec_files import make_spec

    if project is None:
        refuse_unused("no project is named", {"table": table})
        if source is None:
            hint = "Name a file, or a project that has one (--project)."
            raise SpecError("No table is given.", code="spec.source", hint=hint)
        return source, spec
    refuse_unused("the project says it", {"spec": spec, "after": history.get("after")})
    if source is not None:
        hint = "Leave it out, or add the file to the project (voile project add)."
        raise SpecError("A table is given, and the project names one.", code="spec.source", hint=hint)
    path, sections = open_project(project).read_request(table or "")
    if sections["release"].get("ledger"):
        refuse_unused("the project has a ledger", {"ledger": history.get("ledger")})
    return str(path), make_spec(sections)


def count_releases(project: str | None, table: str | None) -> int:
    """Return how many releases of a table a project has, before another one is made."""
    return len(open_project(project).find_table(table or "").releases) if project else 0


def record_release(
    project: str | None, table: str | None, out: Path, ledger: str | None, earlier: int
) -> dict[str, Any]:
    """Record a release that was saved, if a project is named; return which one it is there."""
    if project is None:
        return {}
    opened = open_project(project)
    recorded = opened.record_release(out, ledger, table or opened.current, earlier=earlier)
    return {"project": recorded.name, "table": recorded.current, "release": len(recorded.find_table().releases)}


def find_release(
    project: str | None, table: str | None, release: Path | None, given: dict[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Return the release to look at, and its earlier releases, ledger and table: those of a project's last release if
    one is named, else those that were given."""
    if project is None:
        refuse_unused("no project is named", {"table": table})
        if release is None:
            hint = "Name its folder, or a project that has one (--project)."
            raise SpecError("No release is given.", code="spec.source", hint=hint)
        return release, given
    if release is not None:
        hint = "Leave it out: it is the last release of the project."
        raise SpecError("A release is given, and the project names one.", code="spec.source", hint=hint)
    refuse_unused("the project says it", given)
    opened = open_project(project)
    history = opened.list_history(table or "")
    if not history["after"]:
        name = opened.find_table(table or "").name
        raise SpecError(f"{name!r} has no release yet.", code="spec.project", hint="Publish it first.")
    *after, last = map(Path, history["after"])
    ledger = Path(history["ledger"]) if history["ledger"] and after else None
    found: dict[str, Any] = {"after": after or None, "ledger": ledger}
    if "data" in given:
        path, sections = opened.read_request(table or "")
        person = sections.get("schema", {}).get("person")
        found |= {"data": str(path), "person": person, "read": sections.get("read", {})}
    return last, found


def with_history(spec: Spec, after: list[Path] | None, ledger: Path | None) -> Spec:
    """Put the earlier releases and the ledger of the flags into a spec."""
    flags: dict[str, Any] = {"after": [str(folder) for folder in after]} if after else {}
    flags |= {"ledger": ledger} if ledger is not None else {}
    return replace(spec, release={**spec.release, **flags})
