"""A project: several tables, the history of what was asked of each, and the releases that were published from it.

The rows stay where they are: a project names the file of each table and holds its specs. It may still hold values
(a hierarchy that was typed, a declared domain), so only its owner can read the folder.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from voile.errors import DataError, SpecError
from voile.flow.project.project_export import read_export, write_export
from voile.flow.project.project_folder import (
    check_name,
    delete_project_files,
    find_home,
    lock_project,
    make_folder,
    read_project_file,
    read_sections,
    write_project_files,
)
from voile.io.release_folder import CERTIFICATE
from voile.io.release_folder.file_names import file_digest
from voile.io.spec_files import make_spec


@dataclass(frozen=True)
class ProjectRelease:
    """A release that was published from a table: its folder, the digest of its certificate, the ledger and the day."""

    folder: str
    digest: str
    ledger: str = ""
    on: str = ""


@dataclass(frozen=True)
class ProjectTable:
    """A table of a project. `specs` are the numbers of its specs, oldest first; the one at `position` holds now."""

    name: str
    path: str = ""  # empty: the project was imported, and nobody has named the file yet
    fingerprint: str = ""
    specs: tuple[int, ...] = ()
    position: int = 0
    releases: tuple[ProjectRelease, ...] = ()


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
        tables = tuple(
            ProjectTable(
                **{
                    **entry,
                    "specs": tuple(entry["specs"]),
                    "releases": tuple(ProjectRelease(**release) for release in entry.get("releases", ())),
                }
            )
            for entry in body.get("tables", ())
        )
        parts = {part: body[part] for part in ("revision", "current", "salt", "serial")}
        return Project(folder, name, tables=tables, **parts)

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

    def add_table(self, path: str | Path, spec: Mapping[str, Any] | None = None, name: str = "") -> Project:
        """Add a table by its file, or name the file of a table anew: its specs and releases stay. `spec` has the
        sections of a spec.toml. The table is the current one from now on."""
        path = Path(path).resolve()
        name = name or path.name
        known = next((table for table in self.tables if table.name == name), ProjectTable(name))
        entry = replace(known, path=str(path), fingerprint=self._take_fingerprint(path))
        if spec is None and known.specs:
            return self._change(entry)
        return self._add(entry, spec or {})

    def select(self, table: str) -> Project:
        """Make a table the current one."""
        return self._change(self.find_table(table))

    def change(self, spec: Mapping[str, Any], table: str = "") -> Project:
        """Ask something else of a table. What was asked before stays in its history; what was undone is forgotten."""
        if dict(spec) == self.read_spec(table):
            return self
        return self._add(self.find_table(table), spec)

    def undo(self, table: str = "") -> Project:
        """Go one step back in the history of a table."""
        return self._step(table, -1, "undo")

    def redo(self, table: str = "") -> Project:
        """Go one step forward in the history of a table, after `undo`."""
        return self._step(table, 1, "redo")

    def has_changed(self, table: str = "") -> bool:
        """Whether the file of a table is another one than when it was added or published last."""
        entry = self.find_table(table)
        if not entry.path:
            raise SpecError(f"The table {entry.name!r} has no file yet.", code="spec.project", hint="Add it again.")
        return self._take_fingerprint(Path(entry.path)) != entry.fingerprint

    def check_table(self, table: str = "") -> None:
        """Raise DataError if the file of a table has changed since it was added or published last."""
        if self.has_changed(table):
            raise DataError(
                f"The table {self.find_table(table).name!r} has changed since the project last saw it.",
                code="data.project-table",
                hint="If that is meant, add the table to the project again: its roles and releases stay.",
            )

    def record_release(self, folder: str | Path, ledger: str | Path | None = None, table: str = "") -> Project:
        """Note that a release was published from a table, with the ledger that was kept."""
        folder = Path(folder).resolve()
        try:
            digest = file_digest(folder / CERTIFICATE)
        except OSError:
            raise DataError(
                f"{folder.name!r} is no release folder.", code="data.project", hint="Save the release first."
            ) from None
        entry = self.find_table(table)
        release = ProjectRelease(str(folder), digest, str(Path(ledger).resolve()) if ledger else "", str(date.today()))
        fingerprint = self._take_fingerprint(Path(entry.path)) if entry.path else ""
        return self._change(replace(entry, fingerprint=fingerprint, releases=(*entry.releases, release)))

    def list_history(self, table: str = "") -> dict[str, Any]:
        """Return `after` and `ledger` for publishing the next release of a table. DataError if an earlier release is
        not where it was, or is another one."""
        releases = self.find_table(table).releases
        for release in releases:
            place = Path(release.folder)
            try:
                same = file_digest(place / CERTIFICATE) == release.digest
            except OSError:
                same = False
            if not same:
                raise DataError(
                    f"The earlier release {place.name!r} is missing, or another one is in its place.",
                    code="data.project-release",
                    hint="Put it back: the next release must hide people together with the earlier ones.",
                )
        ledger = releases[-1].ledger if releases else ""
        return {"after": [release.folder for release in releases], "ledger": ledger or None}

    def export(self, path: str | Path) -> list[str]:
        """Write the project to a file without data, and return what was left out because it may hold cells or paths."""
        specs = {table.name: self.read_spec(table.name) for table in self.tables}
        return write_export(Path(path), self.name, specs)

    def delete(self) -> None:
        """Delete the project: its specs, and the list of its releases. Tables and releases stay where they are."""
        with lock_project(self.folder, self.name):
            self._check_newest()
            delete_project_files(self.folder, self.name)

    def _take_fingerprint(self, path: Path) -> str:
        """Take a fingerprint of a file under the secret of the project: nobody else can test guesses with it."""
        try:
            with path.open("rb") as file:
                key = bytes.fromhex(self.salt)
                return hashlib.file_digest(file, lambda: hashlib.blake2b(key=key, digest_size=32)).hexdigest()
        except OSError as error:
            raise DataError(
                f"The table {path.name!r} cannot be read ({error.strerror}).",
                code="data.project-table",
                hint="Put it back, or add the table to the project again under its new path.",
            ) from None

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
        tables = [
            {
                **{part: getattr(table, part) for part in ("name", "path", "fingerprint", "position")},
                "specs": list(table.specs),
                "releases": [vars(release) for release in table.releases],
            }
            for table in self.tables
        ]
        head = {part: getattr(self, part) for part in ("name", "revision", "current", "salt", "serial")}
        return {**head, "tables": tables}
