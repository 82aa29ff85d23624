"""A project: several tables, the history of what was asked of each, and the releases that were published from it.

The rows stay where they are, unless somebody asks for a copy: a project names the file of each table and holds its
specs. It may hold values (a hierarchy that was typed, a declared domain), so only its owner can read the folder.
"""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

from voile.errors import DataError, SpecError
from voile.flow.project.kept_files import copy_release, copy_table, delete_kept, take_fingerprint, write_ledger
from voile.flow.project.project_export import read_export, write_export
from voile.flow.project.project_folder import (
    check_name,
    delete_project_files,
    find_home,
    lock_project,
    make_folder,
    read_project_file,
    read_sections,
    rename_folder,
    write_project_files,
)
from voile.flow.project.project_tables import (
    ProjectRelease,
    ProjectTable,
    check_releases,
    digest_release,
    no_file,
    read_tables,
    write_tables,
)
from voile.io.spec_files import make_spec
from voile.io.toml_writing import render_toml


@dataclass(frozen=True)
class Project:
    """Several tables with the history of their specs and releases, kept under a name in a folder for the user alone.

    Every method that changes a project writes it and returns the new state. A state that is no longer the newest, since
    another process or page has changed the project, is refused and changes nothing: open the project again.
    """

    folder: Path
    name: str
    revision: int = 0
    current: str = ""  # the table that was worked on last
    salt: str = field(default="", repr=False)
    serial: int = 0  # the number of the newest spec; numbers are never used again
    tables: tuple[ProjectTable, ...] = ()

    @staticmethod
    def create(name: str, home: str | Path | None = None) -> Project:
        """Make an empty project. `home` is the folder of all projects; VOILE_PROJECTS, or else a folder of the user's
        own data by default."""
        folder = make_folder(find_home(home), name)
        project = Project(folder, name, salt=secrets.token_hex(32))
        with lock_project(folder, name):
            return project._write({})

    @staticmethod
    def open(name: str, home: str | Path | None = None) -> Project:
        """Open a project as it was left."""
        folder = find_home(home) / check_name(name)
        body = read_project_file(folder, name)
        parts = {part: body[part] for part in ("revision", "current", "salt", "serial")}
        return Project(folder, name, tables=read_tables(body.get("tables", ())), **parts)

    @staticmethod
    def list_names(home: str | Path | None = None) -> list[str]:
        """List the names of all projects."""
        root = find_home(home)
        return sorted(path.parent.name for path in root.glob("*/project.toml")) if root.is_dir() else []

    @staticmethod
    def import_from(path: str | Path, name: str = "", home: str | Path | None = None) -> Project:
        """Make a project from an exported file. Its tables have no file yet: `add_table` names it."""
        exported, tables = read_export(Path(path))
        project = Project.create(name or exported, home)
        for table, sections in tables.items():
            project = project._add(ProjectTable(table), sections)
        return project

    def find_table(self, name: str = "") -> ProjectTable:
        """Find a table by its name; without one, the table that was worked on last."""
        name = name or self.current
        for table in self.tables:
            if table.name == name:
                return table
        if not self.tables:
            raise SpecError(f"The project {self.name!r} has no table yet.", code="spec.project", hint="Add one first.")
        raise SpecError(
            f"The project {self.name!r} has no table {name!r}.",
            code="spec.project",
            hint=f"It has: {', '.join(table.name for table in self.tables)}.",
        )

    def read_spec(self, table: str = "") -> dict[str, Any]:
        """Return what is asked of a table now, as the sections of a spec.toml."""
        entry = self.find_table(table)
        return read_sections(self.folder, entry.specs[entry.position])

    def find_file(self, table: str = "") -> Path:
        """Return the file of a table; SpecError if it has none here."""
        entry = self.find_table(table)
        if not entry.path:
            raise no_file(entry.name)
        return self.folder / entry.path

    def add_table(
        self,
        path: str | Path,
        spec: Mapping[str, Any] | None = None,
        name: str = "",
        keep: Literal["path", "copy", "fingerprint"] = "path",
    ) -> Project:
        """Add a table by its file, or name the file of a table anew: its specs and releases stay. `spec` has the
        sections of a spec.toml. The table is the current one from now on.

        The project keeps the path; or a copy of the file in its own folder; or only a fingerprint, by which it knows
        the file when it is added again.
        """
        path = Path(path).resolve()
        name = name or path.name
        known = next((table for table in self.tables if table.name == name), ProjectTable(name))
        fingerprint = take_fingerprint(path, self.salt)
        place = str(path) if keep == "path" else copy_table(self.folder, path) if keep == "copy" else ""
        entry = replace(known, path=place, fingerprint=fingerprint)
        added = self._change(entry) if spec is None and known.specs else self._add(entry, spec or {})
        delete_kept(self.folder, known.path)
        return added

    def select(self, table: str) -> Project:
        """Make a table the current one."""
        return self._change(self.find_table(table))

    def change(self, spec: Mapping[str, Any], table: str = "") -> Project:
        """Ask something else of a table. What was asked before stays in its history; what was undone is forgotten."""
        if tomllib.loads(render_toml(spec)) == self.read_spec(table):
            return self
        return self._add(self.find_table(table), spec)

    def amend(self, spec: Mapping[str, Any], table: str = "") -> Project:
        """Replace what is asked of a table now, without a step: for what was found in its file and not decided."""
        if tomllib.loads(render_toml(spec)) == self.read_spec(table):
            return self
        entry, serial = self.find_table(table), self.serial + 1
        specs = tuple(serial if place == entry.position else number for place, number in enumerate(entry.specs))
        return self._change(replace(entry, specs=specs), {serial: dict(spec)}, serial)

    def undo(self, table: str = "") -> Project:
        """Go one step back in the history of a table."""
        return self._step(table, -1, "undo")

    def redo(self, table: str = "") -> Project:
        """Go one step forward in the history of a table, after `undo`."""
        return self._step(table, 1, "redo")

    def has_changed(self, table: str = "") -> bool:
        """Whether the file of a table is another one than when it was added or published last."""
        return take_fingerprint(self.find_file(table), self.salt) != self.find_table(table).fingerprint

    def check_table(self, table: str = "") -> None:
        """Raise DataError if the file of a table has changed since it was added or published last."""
        if self.has_changed(table):
            raise DataError(
                f"The table {self.find_table(table).name!r} has changed since the project last saw it.",
                code="data.project-table",
                hint="If that is meant, add the table to the project again: its roles and releases stay.",
            )

    def record_release(
        self, folder: str | Path, ledger: str | Path | None = None, table: str = "", earlier: int | None = None
    ) -> Project:
        """Note that a release was published from a table, with the ledger that was kept. Both stay where they are.

        `earlier` is the number of releases that it was published after: if there are others by now, it is refused.
        """
        entry, folder = self.find_table(table), Path(folder).resolve()
        entry.check_order(earlier)
        return self._record(entry, str(folder), str(Path(ledger).resolve()) if ledger else "")

    def keep_release(
        self, folder: str | Path, ledger: str | Path | None = None, table: str = "", earlier: int | None = None
    ) -> Project:
        """Note a release that was published, as `record_release` does, and keep copies of it and of its ledger."""
        entry = self.find_table(table)
        entry.check_order(earlier)
        return self._record(entry, *copy_release(self.folder, Path(folder), Path(ledger) if ledger else None))

    def _record(self, entry: ProjectTable, folder: str, ledger: str) -> Project:
        digest = digest_release(self.folder / folder)
        if not digest:
            message, hint = f"{Path(folder).name!r} is no release folder.", "Save the release first."
            raise DataError(message, code="data.project", hint=hint)
        release = ProjectRelease(folder, digest, ledger, str(date.today()))
        fingerprint = take_fingerprint(self.folder / entry.path, self.salt) if entry.path else entry.fingerprint
        entry = replace(entry, fingerprint=fingerprint, releases=(*entry.releases, release))
        return self._change(entry)

    def take_back_release(self, table: str = "") -> Project:
        """Forget the last release of a table, which nobody may have received. A copy in the project is deleted."""
        entry = self.find_table(table)
        if not entry.releases:
            raise SpecError(f"{entry.name!r} has no release.", code="spec.project", hint="Nothing is to be taken back.")
        newer = self._change(replace(entry, releases=entry.releases[:-1]))
        delete_kept(self.folder, entry.releases[-1].folder)
        return newer

    def start_ledger(self, table: str = "") -> Project:
        """Start a ledger with the first release of a table; the project keeps it."""
        entry = self.find_table(table)
        if entry.releases:
            hint = "Name the ledger that was kept with the earlier releases, or publish without one."
            raise SpecError("A ledger starts with the first release.", code="spec.ledger", hint=hint)
        return self._change(replace(entry, ledger=write_ledger(self.folder)))

    def list_history(self, table: str = "") -> dict[str, Any]:
        """Return `after` and `ledger` for publishing the next release of a table. DataError if an earlier release is
        not where it was, or is another one."""
        entry = self.find_table(table)
        ledger = entry.releases[-1].ledger if entry.releases else entry.ledger
        after = check_releases(self.folder, entry.releases)
        return {"after": after, "ledger": str(self.folder / ledger) if ledger else None}

    def read_request(self, table: str = "") -> tuple[Path, dict[str, Any]]:
        """Return the file of a table and all that is asked of it, with its earlier releases and their ledger, as the
        sections of a spec.toml. DataError if the file or an earlier release has changed."""
        path, sections, history = self.find_file(table), self.read_spec(table), self.list_history(table)
        self.check_table(table)
        release = {**sections.get("release", {}), **{part: value for part, value in history.items() if value}}
        return path, {**sections, "release": release}

    def export(self, path: str | Path) -> list[str]:
        """Write the project to a file without data, and return what was left out because it may hold cells or paths."""
        specs = {table.name: self.read_spec(table.name) for table in self.tables}
        return write_export(Path(path), self.name, specs)

    def rename(self, name: str) -> Project:
        """Give the project another name."""
        with lock_project(self.folder, self.name):
            self._check_newest()
            return replace(self, folder=rename_folder(self.folder, name), name=name)._write({})

    def delete(self) -> None:
        """Delete the project: its specs, the list of its releases, and the copies that it keeps. Tables and releases
        elsewhere stay."""
        with lock_project(self.folder, self.name):
            self._check_newest()
            delete_project_files(self.folder, self.name)

    def _step(self, table: str, by: int, what: str) -> Project:
        entry = self.find_table(table)
        if not 0 <= entry.position + by < len(entry.specs):
            raise SpecError(f"There is nothing to {what} for {entry.name!r}.", code="spec.project")
        return self._change(replace(entry, position=entry.position + by))

    def _add(self, table: ProjectTable, spec: Mapping[str, Any]) -> Project:
        """Add a spec to the history of a table, after the one that holds now."""
        make_spec({part: content for part, content in spec.items() if content})
        serial = self.serial + 1
        specs = (*table.specs[: table.position + 1], serial)
        entry = replace(table, specs=specs, position=len(specs) - 1)
        return self._change(entry, {serial: dict(spec)}, serial)

    def _change(self, table: ProjectTable, specs: Mapping[int, Any] | None = None, serial: int = 0) -> Project:
        """Put a table in place of the one of its name, make it the current one, and write the project."""
        names = [entry.name for entry in self.tables]
        others = self.tables if table.name in names else (*self.tables, table)
        tables = tuple(table if entry.name == table.name else entry for entry in others)
        with lock_project(self.folder, self.name):
            self._check_newest()
            newer = replace(self, current=table.name, tables=tables, serial=serial or self.serial)
            return newer._write(specs or {})

    def _check_newest(self) -> None:
        if read_project_file(self.folder, self.name)["revision"] != self.revision:
            raise DataError(
                f"The project {self.name!r} was changed elsewhere meanwhile, by another process or page.",
                code="data.project-stale",
                hint="Open it again, and make the change once more; nothing was lost or overwritten.",
            )

    def _write(self, specs: Mapping[int, Any]) -> Project:
        newer = replace(self, revision=self.revision + 1)
        write_project_files(newer.folder, newer.as_json(), specs)
        return newer

    def as_json(self) -> dict[str, Any]:
        """Return what project.toml holds. It names paths and the secret of the fingerprints: never publish it."""
        head = {part: getattr(self, part) for part in ("name", "revision", "current", "salt", "serial")}
        return {**head, "tables": write_tables(self.tables)}
