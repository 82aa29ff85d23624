"""The folder of a project: project.toml and numbered specs, for the owner alone. project.toml is replaced last, in one
step, and decides which specs belong to the project; so a process that is killed loses at most its own change."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from voile.errors import DataError, SpecError
from voile.flow.project.kept_files import KEPT
from voile.io.safe_writing.file_replacement import replace_files
from voile.io.safe_writing.locks import lock_folders
from voile.io.toml_writing import render_toml

FORMAT = 1
FILE = "project.toml"
_NAME = re.compile(r"\w[\w .-]{0,79}")
_PARTS = {"revision": int, "current": str, "salt": str, "serial": int}
_TABLE_PARTS = {"name": str, "path": str, "fingerprint": str, "position": int, "specs": list, "releases": list}
_TABLE_PARTS |= {"ledger": str}
PATIENCE = 3.0  # seconds to wait for another process: a change takes a small part of one
_RELEASE_PARTS = {"folder", "digest", "ledger", "on"}


def find_home(home: str | Path | None) -> Path:
    """Return the folder of all projects."""
    if home is not None:
        return Path(home)
    if os.environ.get("VOILE_PROJECTS"):
        return Path(os.environ["VOILE_PROJECTS"])
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "voile" / "projects"


def check_name(name: str) -> str:
    """Return the name of a project; SpecError if no folder can have it.

    >>> check_name("clinic 2026")
    'clinic 2026'
    """
    if not _NAME.fullmatch(name) or name != name.strip() or len(name.encode()) > 200:
        raise SpecError(
            "This is not a valid name for a project.",
            code="spec.project",
            hint="Use at most 80 letters, digits, spaces, dots and dashes; begin with a letter or a digit.",
        )
    return name


def make_folder(home: Path, name: str) -> Path:
    """Make the folder of a new project, for its owner alone."""
    folder = home / check_name(name)
    if (folder / FILE).exists():
        raise SpecError(
            f"There is already a project {name!r}.", code="spec.project", hint="Open it, or choose another name."
        )
    try:
        home.mkdir(parents=True, mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise _unwritable(name, error) from None
    return folder


def rename_folder(folder: Path, name: str) -> Path:
    """Give the folder of a project another name."""
    target = folder.with_name(check_name(name))
    if target.exists():
        raise SpecError(f"There is already a project {name!r}.", code="spec.project", hint="Choose another name.")
    try:
        folder.rename(target)
    except OSError as error:
        raise _unwritable(folder.name, error) from None
    return target


@contextmanager
def lock_project(folder: Path, name: str) -> Iterator[None]:
    """Let one process at a time change a project; others wait, and give up after a few seconds."""
    if not folder.is_dir():
        raise no_project(name)
    with lock_folders(folder, patience=PATIENCE):
        yield


def read_project_file(folder: Path, name: str) -> dict[str, Any]:
    """Read project.toml. DataError for one of a newer version, or one that is damaged; nothing of it is shown."""
    try:
        body = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise no_project(name) from None
    except (OSError, ValueError, RecursionError):
        raise _damaged(name) from None
    if type(body.get("format")) is int and body["format"] > FORMAT:
        raise DataError(
            f"The project {name!r} was made by a newer version of voile.",
            code="data.project-version",
            hint="Open it with that version, or a newer one; it was not changed.",
        )
    if body.get("format") != FORMAT or not _fits(body):
        raise _damaged(name)
    return body


def _fits(body: Mapping[str, Any]) -> bool:
    """Whether every entry is there, of its type, and every table has a spec that holds."""
    if any(type(body.get(part)) is not kind for part, kind in _PARTS.items()):
        return False
    tables = body.get("tables", [])
    if not isinstance(tables, list) or not re.fullmatch("[0-9a-f]{64}", body["salt"]):
        return False
    for table in tables:
        kinds = {part: type(value) for part, value in table.items()} if isinstance(table, dict) else {}
        if kinds != _TABLE_PARTS or not all(type(number) is int for number in table["specs"]):
            return False
        if not 0 <= table["position"] < len(table["specs"]):
            return False
        if not all(isinstance(release, dict) and set(release) == _RELEASE_PARTS for release in table["releases"]):
            return False
    return True


def read_sections(folder: Path, number: int) -> dict[str, Any]:
    """Read one spec of a project."""
    try:
        return tomllib.loads((folder / _spec_file(number)).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise _damaged(folder.name) from None


def write_project_files(folder: Path, body: Mapping[str, Any], specs: Mapping[int, Mapping[str, Any]]) -> None:
    """Write new specs, then project.toml, which takes them up; then delete specs that nothing names any more."""
    try:
        for number, sections in specs.items():
            replace_files({folder / _spec_file(number): render_toml(sections).encode()}, private=True)
        replace_files({folder / FILE: render_toml({"format": FORMAT, **body}).encode()}, private=True)
    except OSError as error:
        raise _unwritable(str(body["name"]), error) from None
    named = {_spec_file(number) for table in body["tables"] for number in table["specs"]}
    for path in folder.glob("spec-*.toml"):
        if path.name not in named:
            with suppress(OSError):
                path.unlink()


def delete_project_files(folder: Path, name: str) -> None:
    """Delete the files of a project and the copies that it keeps, project.toml first: from then on there is no project.
    Other files stay."""
    try:
        (folder / FILE).unlink()
        for path in folder.glob("spec-*.toml"):
            path.unlink()
        for kind in KEPT:
            shutil.rmtree(folder / kind, ignore_errors=True)
    except OSError as error:
        raise _unwritable(name, error) from None
    with suppress(OSError):
        folder.rmdir()  # unless somebody keeps something else in it


def _spec_file(number: int) -> str:
    return f"spec-{number}.toml"


def no_project(name: str) -> SpecError:
    """Make the error of a project that does not exist."""
    hint = "Check the name; projects that were made are listed by their names."
    return SpecError(f"There is no project {name!r}.", code="spec.project", hint=hint)


def _damaged(name: str) -> DataError:
    hint = "Put back a copy of its folder, or import an export of it under another name."
    return DataError(f"The project {name!r} cannot be read: its files are damaged.", code="data.project", hint=hint)


def _unwritable(name: str, error: OSError) -> DataError:
    return DataError(
        f"The project {name!r} cannot be written ({error.strerror or type(error).__name__}).",
        code="data.project",
        hint="Check the free space and the permissions of its folder; it is as it was before.",
    )
