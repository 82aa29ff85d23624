"""What the files of a release are called, and how their content is told in one word."""

from __future__ import annotations

import hashlib
from pathlib import Path

CERTIFICATE, DICTIONARY = "certificate.json", "dictionary.json"
FORMATS = ("parquet", "csv")
REPORTS = ("report.html", "report.json")


def digest(path: Path) -> str:
    with path.open("rb") as handle:
        return "sha256:" + hashlib.file_digest(handle, "sha256").hexdigest()
