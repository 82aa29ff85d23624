"""What the files of a release are called, and the digests that identify their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

CERTIFICATE, DICTIONARY, SIGNATURE = "certificate.json", "dictionary.json", "certificate.sig"
FORMATS = ("parquet", "csv")
REPORTS = ("report.html", "report.json")


def file_digest(path: Path) -> str:
    """Return the digest of a file without reading it into memory."""
    with path.open("rb") as handle:
        return "sha256:" + hashlib.file_digest(handle, "sha256").hexdigest()


def content_digest(content: bytes) -> str:
    """Return the digest of a file's content."""
    return "sha256:" + hashlib.sha256(content).hexdigest()
