"""The zip for recipients: the release folder, and beside it a guide that is made from it. The publisher's report, the
key and the ledger are no part of it."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from voile.errors import SpecError, option
from voile.flow.guide.guide import guide
from voile.io import release_folder
from voile.io.release_folder import CERTIFICATE, SIGNATURE
from voile.io.safe_writing.interruptions import hold_signals, note_written, raise_if_interrupted
from voile.io.safe_writing.staging import staging_folder

READ_ME = "READ_ME.html"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time at which a file was made must reveal nothing


def pack(folder: str | Path, path: str | Path | None = None, *, name: str | None = None, force: bool = False) -> Path:
    """Pack a published folder for its recipients: a zip with the folder and, beside it, a guide.

    Only published files are packed, and the guide lies outside of the folder, so that the unpacked folder verifies as
    before. `name` is what the folder is called in the zip. BrokenPromise if the folder does not keep what it claims.

    >>> import tempfile, voile as vl, zipfile
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> place = vl.publish(data, vl.KAnonymity(k=5)).save(tempfile.mkdtemp() + "/release")
    >>> zipfile.ZipFile(vl.pack(place)).namelist()[1:]
    ['release/dictionary.json', 'release/table.parquet', 'READ_ME.html']
    """
    place = Path(folder)
    name = name or place.resolve().name
    archive = Path(path) if path is not None else place.with_name(f"{name}.zip")
    if archive.suffix.lower() != ".zip":
        raise SpecError(f"{archive.name!r} does not end in .zip.", code="spec.out", hint="Name it release.zip.")
    if archive.exists() and not force:
        hint = f"Name another file, or replace it ({option('force', True)})."
        raise SpecError(f"{archive.name!r} exists already.", code="spec.out", hint=hint)
    page = guide(place, name).html
    archive.parent.mkdir(parents=True, exist_ok=True)
    with staging_folder(archive) as stage:
        fresh = stage / "new.zip"
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in list_published(place):
                with (place / file).open("rb") as source, packed.open(_describe_entry(f"{name}/{file}"), "w") as target:
                    shutil.copyfileobj(source, target)
            packed.writestr(_describe_entry(READ_ME), page)
        with hold_signals():
            raise_if_interrupted()
            os.replace(fresh, archive)
            note_written(archive)
    return archive


def list_published(place: Path) -> list[str]:
    """List the files of a release folder that are published: those of the certificate, itself, and its signature."""
    files = {*release_folder.read_documents(place).certificate["files"], CERTIFICATE}
    return sorted(files | ({SIGNATURE} if (place / SIGNATURE).is_file() else set()))


def _describe_entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    return entry
