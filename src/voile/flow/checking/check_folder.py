"""Check a published folder, and hand on the very release that was checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from voile.engines.base import Engine
from voile.errors import DataError, VoileError
from voile.flow.checking.check_release import check_release
from voile.flow.checking.load import find_document_faults, release_from, stays_on_disk
from voile.flow.checking.signature_check import add_signature
from voile.io import release_folder
from voile.io.library_border import forget_words
from voile.models.evidence import NOTHING, Evidence
from voile.releases.release import Release
from voile.results import Answer, Checked, Verdict

if TYPE_CHECKING:
    from voile.io.release_folder.signature import SignerKey


def check_folder(
    place: Path,
    evidence: Evidence | Callable[[Release], Evidence] = NOTHING,
    engine: Engine | None = None,
    signer: SignerKey | None = None,
) -> tuple[Verdict, Release | None]:
    """Check the files, the tables and every claim of a folder; return the release too, unless it cannot be read.

    Each file is read once: the bytes whose digests are checked are the bytes that are parsed. Only the tables that an
    engine reads from disk are opened again, piece by piece. `evidence` may be a function that gathers it for the
    release, once it has been read. With a `signer`, the folder must be signed by it.
    """
    try:
        documents = release_folder.read_documents(place)
    except DataError as error:
        if error.code == "data.no-release":
            raise
        return Verdict((Checked("documents", Answer.BROKEN, error.message),)), None
    verdict, release = _check_documents(place, documents, evidence, engine)
    return add_signature(verdict, place, documents.digests[release_folder.CERTIFICATE], signer), release


def _check_documents(
    place: Path,
    documents: release_folder.Documents,
    evidence: Evidence | Callable[[Release], Evidence],
    engine: Engine | None,
) -> tuple[Verdict, Release | None]:
    faults = find_document_faults(documents)
    if faults:
        return Verdict((Checked("documents", Answer.BROKEN, "; ".join(faults) + "."),)), None
    files = documents.certificate["files"]
    if stays_on_disk(files, engine):
        contents, changed = None, release_folder.find_changed_files(place, files, documents.digests)
    else:
        contents, changed = release_folder.read_verified(place, files, documents.digests)
    if changed:
        return Verdict((Checked("files", Answer.BROKEN, " ".join(changed)),)), None
    same = Checked("files", Answer.HOLDS, f"{len(files)} digests agree.")
    known = {*files, release_folder.CERTIFICATE, release_folder.SIGNATURE}
    extra = sorted(found.name for found in place.iterdir() if found.name not in known)
    extra = [name if name.isprintable() else ascii(name) for name in extra]  # a line break could add a line of verify
    notes = (f"Not covered by the certificate: {', '.join(extra)}.",) if extra else ()
    try:
        release = release_from(place, documents, engine, contents)
    except DataError as error:
        return Verdict((same, Checked("tables", Answer.BROKEN, error.message)), notes=notes), None
    gathered = evidence(release) if callable(evidence) else evidence
    try:
        verdict = check_release(release, gathered)
    except DataError as error:
        return Verdict((same, Checked("tables", Answer.BROKEN, str(error))), notes=notes), None
    except (VoileError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # what a library cannot compute with, nobody can trust
        forget_words(error)
        reason = f"The tables or the claims cannot be counted ({type(error).__name__})."
        return Verdict((same, Checked("tables", Answer.BROKEN, reason)), notes=notes), None
    return replace(verdict, checks=(same, *verdict.checks), notes=(*verdict.notes, *notes)), release
