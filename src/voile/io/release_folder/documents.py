"""The two documents of a release folder, read once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from voile.errors import DataError
from voile.io.release_folder.document_faults import certificate_faults, dictionary_faults
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, content_digest


class Documents(NamedTuple):
    """The certificate and the dictionary of a folder, and the digests of the bytes that they were parsed from."""

    certificate: dict[str, Any]
    dictionary: dict[str, Any]
    digests: dict[str, str]


def read_documents(folder: Path) -> Documents:
    """Read the certificate and the dictionary of a folder. Their outline is checked, their truth is not."""
    if not (folder / CERTIFICATE).is_file():
        raise DataError(
            f"{folder.name!r} holds no {CERTIFICATE}.",
            code="data.no-release",
            hint="Name a folder that voile published.",
        )
    certificate, certificate_digest = _read_document(folder, CERTIFICATE, certificate_faults)
    dictionary, dictionary_digest = _read_document(folder, DICTIONARY, dictionary_faults)
    return Documents(certificate, dictionary, {CERTIFICATE: certificate_digest, DICTIONARY: dictionary_digest})


def _read_document(folder: Path, name: str, find_faults: Callable[[Any], Iterator[str]]) -> tuple[dict[str, Any], str]:
    """Parse a document and return it with the digest of its bytes."""
    content = b""
    try:
        content = (folder / name).read_bytes()
        document = json.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        document = None
    if document is None:
        raise DataError(
            f"{name} of {folder.name!r} cannot be read.", code="data.document", hint="Fetch the release again."
        )
    faults = list(find_faults(document))
    if faults:
        raise DataError(
            f"{name} of {folder.name!r} is malformed: {', '.join(faults)}.",
            code="data.document",
            hint="Fetch the release again.",
        )
    return document, content_digest(content)
