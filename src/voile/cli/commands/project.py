"""`voile project`: the projects of a user, each with several tables, what was asked of them, and their releases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voile.cli.flags import Json
from voile.cli.project_inputs import find_project, open_project
from voile.cli.terminal import print_json
from voile.errors import SpecError
from voile.plugins.counted_nouns import count_noun

if TYPE_CHECKING:
    from voile.flow.project.project import Project

app = typer.Typer(help="Keep tables, what is asked of them, and their releases in a project.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME|DIR", help="A project by its name, or its folder.")]
Table = Annotated[str, typer.Option("--table", help="A table of the project; by default, the last one worked on.")]


@app.command()
def new(name: Name, as_json: Json = False) -> None:
    """Make an empty project."""
    from voile.flow.project.project import Project

    _show_change(Project.create(*find_project(name)), "made", as_json)


@app.command()
def add(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of the table.")],
    table: Annotated[str, typer.Option("--table", help="Its name; that of the file by default.")] = "",
    spec: Annotated[Path | None, typer.Option("--spec", help="A spec.toml: what is asked of the table.")] = None,
    as_json: Json = False,
) -> None:
    """Add a table, or name the file of a table anew: what was asked of it and its releases stay."""
    from voile.io.spec_files import read_spec

    sections = read_spec(spec.resolve()) if spec else None
    asked = {part: content for part, content in vars(sections).items() if content} if sections else None
    _show_change(open_project(name).add_table(file, asked, table), "changed", as_json)


@app.command("list")
def list_all(as_json: Json = False) -> None:
    """List the projects by name."""
    from voile.flow.project.project import Project

    names = Project.list_names()
    print_json({"projects": names}) if as_json else typer.echo("\n".join(names) or "There are no projects yet.")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """Show the tables of a project, the steps of each, and its releases, oldest first."""
    project = open_project(name)
    if as_json:
        print_json(_describe(project))
        return
    typer.echo(f"{project.name}: {count_noun(len(project.tables), 'table')}")
    for table in project.tables:
        mark = " (the last one worked on)" if table.name == project.current else ""
        typer.echo(
            f"{table.name}{mark}: step {table.position + 1} of {len(table.specs)}; {table.path or 'no file yet'}"
        )
        for release in table.releases:
            typer.echo(f"  {release.on} {release.folder}" + (f", ledger {release.ledger}" if release.ledger else ""))


@app.command()
def undo(name: Name, table: Table = "", as_json: Json = False) -> None:
    """Go one step back in what is asked of a table. Releases stay."""
    _show_change(open_project(name).undo(table), "changed", as_json)


@app.command()
def redo(name: Name, table: Table = "", as_json: Json = False) -> None:
    """Go one step forward again, after undo."""
    _show_change(open_project(name).redo(table), "changed", as_json)


@app.command()
def rename(
    name: Name, to: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")], as_json: Json = False
) -> None:
    """Give a project another name."""
    _show_change(open_project(name).rename(to), "renamed", as_json)


@app.command("take-back")
def take_back(name: Name, table: Table = "", as_json: Json = False) -> None:
    """Forget the last release of a table, which nobody may have received. A copy in the project is deleted."""
    _show_change(open_project(name).take_back_release(table), "changed", as_json)


@app.command()
def export(
    name: Name,
    out: Annotated[Path, typer.Option("--out", help="A new file for the project.")],
    as_json: Json = False,
) -> None:
    """Write a project to a file without data, for a colleague, and say what was left out."""
    if out.exists():
        raise SpecError(f"There is already a file {out.name!r}.", code="spec.file", hint="Choose another --out.")
    left_out = open_project(name).export(out)
    if as_json:
        print_json({"out": str(out), "left_out": left_out})
        return
    typer.echo(f"Exported to {out}, without data")
    for item in left_out:
        typer.echo(f"left out: {item}")


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported project.")],
    name: Annotated[str, typer.Option("--name", help="Its name here; the exported one by default.")] = "",
    as_json: Json = False,
) -> None:
    """Make a project from an exported file. `voile project add` then names the file of each table."""
    from voile.flow.project.project import Project

    _show_change(Project.import_from(file, name), "imported", as_json)


@app.command()
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Delete a project: its steps, the list of its releases, and the copies that it keeps. Other files stay."""
    project = open_project(name)
    if not yes:
        what = "with the list of its releases and the copies that it keeps"
        typer.confirm(f"Delete the project {project.name!r}, {what}?", abort=True, err=True)
    project.delete()
    print_json({"deleted": project.name}) if as_json else typer.echo(f"{project.name}: deleted")


def _show_change(project: Project, what: str, as_json: bool) -> None:
    if as_json:
        print_json(_describe(project))
        return
    table = project.find_table() if project.tables else None
    step = f"; {table.name}: step {table.position + 1} of {len(table.specs)}" if table else ""
    typer.echo(f"{project.name}: {what}{step}")


def _describe(project: Project) -> dict[str, Any]:
    """Return a project without the secret of its fingerprints."""
    tables = [
        {
            "name": table.name,
            "path": table.path,
            "step": table.position + 1,
            "steps": len(table.specs),
            "releases": [vars(release) for release in table.releases],
        }
        for table in project.tables
    ]
    return {"project": project.name, "folder": str(project.folder), "current": project.current, "tables": tables}
