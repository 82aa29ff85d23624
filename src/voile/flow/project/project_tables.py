"""The tables of a project: the file of each, the numbers of its specs, and what was published from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voile.errors import DataError, SpecError
from voile.io.release_folder import CERTIFICATE
from voile.io.release_folder.file_names import file_digest


@dataclass(frozen=True)
class ProjectRelease:
    """A release that was published from a table: its folder, the digest of its certificate, the ledger and the day.

    Paths within the project are relative to its folder, so that it can be renamed and moved.
    """

    folder: str
    digest: str
    ledger: str = ""
    on: str = ""


@dataclass(frozen=True)
class ProjectTable:
    """A table of a project. `specs` are the numbers of its specs, oldest first; the one at `position` holds now."""

    name: str
    path: str = ""  # empty: nobody has named the file yet, or it was sent and not kept
    fingerprint: str = ""
    specs: tuple[int, ...] = ()
    position: int = 0
    releases: tuple[ProjectRelease, ...] = ()
    ledger: str = ""  # one that was started for the first release

    @property
    def can_undo(self) -> bool:
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        return self.position + 1 < len(self.specs)

    def check_order(self, earlier: int | None) -> None:
        """Raise DataError if a release that was published after `earlier` ones is not the next one any more."""
        if earlier is not None and earlier != len(self.releases):
            raise DataError(
                f"Another release of {self.name!r} was recorded meanwhile, and this one was made without regard to it.",
                code="data.project-order",
                hint="Give this one to nobody, and publish it again.",
            )


def read_tables(entries: Sequence[Mapping[str, Any]]) -> tuple[ProjectTable, ...]:
    """Read the tables of a project.toml that was checked."""
    return tuple(
        ProjectTable(
            **{
                **entry,
                "specs": tuple(entry["specs"]),
                "releases": tuple(ProjectRelease(**release) for release in entry["releases"]),
            }
        )
        for entry in entries
    )


def write_tables(tables: Sequence[ProjectTable]) -> list[dict[str, Any]]:
    """Return the tables as project.toml holds them."""
    return [
        {**vars(table), "specs": list(table.specs), "releases": [vars(release) for release in table.releases]}
        for table in tables
    ]


def check_releases(project: Path, releases: Sequence[ProjectRelease]) -> list[str]:
    """Return the folders of releases. DataError if one is not where it was, or is another one."""
    places = [project / release.folder for release in releases]
    for place, release in zip(places, releases, strict=True):
        if digest_release(place) != release.digest:
            raise DataError(
                f"The earlier release {place.name!r} is missing, or another one is in its place.",
                code="data.project-release",
                hint="Put it back: the next release must hide people together with the earlier ones.",
            )
    return [str(place) for place in places]


def digest_release(folder: Path) -> str:
    """Return the digest of the certificate of a release folder, or an empty text if there is none."""
    try:
        return file_digest(folder / CERTIFICATE)
    except OSError:
        return ""


def no_file(name: str) -> SpecError:
    """Make the error of a table whose file nobody has named."""
    hint = "Add it again with its file; its roles and releases are there."
    return SpecError(f"The table {name!r} has no file here.", code="spec.project-file", hint=hint)
