"""Files that a project keeps in its own folder: a table that was sent, releases, ledgers. Each has a new place of
its own, and counts only once project.toml names it."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from pathlib import Path

from voile.adversaries.ledger import Ledger
from voile.errors import DataError
from voile.io.release_folder import CERTIFICATE, read_documents
from voile.io.safe_writing.file_replacement import flush_to_disk

TABLES, RELEASES, LEDGERS = "tables", "releases", "ledgers"
KEPT = (TABLES, RELEASES, LEDGERS)


def copy_table(project: Path, path: Path) -> str:
    """Copy the file of a table into the project; return its path there."""
    place = _make_place(project, TABLES)
    _copy_file(path, place / path.name)
    return str((place / path.name).relative_to(project))


def copy_release(project: Path, folder: Path, ledger: Path | None) -> tuple[str, str]:
    """Copy the published files of a release, and its ledger beside their folder; return both paths."""
    place = _make_place(project, RELEASES)
    files = [*read_documents(folder).certificate["files"], CERTIFICATE]
    (place / "release").mkdir()
    for name in files:
        _copy_file(folder / name, place / "release" / name)
    if ledger is not None:
        _copy_file(ledger, place / "ledger.json")
    kept = place.relative_to(project)
    return str(kept / "release"), str(kept / "ledger.json") if ledger is not None else ""


def write_ledger(project: Path) -> str:
    """Write a ledger that lists nobody yet; return its path in the project."""
    place = _make_place(project, LEDGERS)
    return str(Ledger().save(place / "ledger.json").relative_to(project))


def delete_kept(project: Path, path: str) -> None:
    """Delete a copy that the project kept, with everything beside it; files elsewhere stay."""
    parts = Path(path).parts
    if len(parts) > 1 and parts[0] in KEPT and ".." not in parts:
        shutil.rmtree(project / parts[0] / parts[1], ignore_errors=True)


def take_fingerprint(path: Path, salt: str) -> str:
    """Take a fingerprint of a file under the secret of the project: nobody else can test guesses with it."""
    try:
        with path.open("rb") as file:
            key = bytes.fromhex(salt)
            return hashlib.file_digest(file, lambda: hashlib.blake2b(key=key, digest_size=32)).hexdigest()
    except OSError as error:
        raise DataError(
            f"The table {path.name!r} cannot be read ({error.strerror}).",
            code="data.project-table",
            hint="Put it back, or add the table to the project again under its new path.",
        ) from None


def _make_place(project: Path, kind: str) -> Path:
    place = project / kind / secrets.token_hex(6)
    try:
        (project / kind).mkdir(mode=0o700, exist_ok=True)
        place.mkdir(mode=0o700)
    except OSError as error:
        raise _unkept(error) from None
    return place


def _copy_file(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
        target.chmod(0o600)
        flush_to_disk(target)
    except OSError as error:
        raise _unkept(error) from None


def _unkept(error: OSError) -> DataError:
    return DataError(
        f"The project cannot keep a copy ({error.strerror or type(error).__name__}).",
        code="data.project",
        hint="Check the free space and the permissions of its folder; it is as it was before.",
    )
