"""The release folder: tables, dictionary.json, certificate.json, and nothing else.

A folder is written beside its place and moved in whole, so a crash leaves the earlier release or none.
"""

from __future__ import annotations

from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, REPORTS, digest
from voile.io.release_folder.folder_reading import changed_files, read_documents, read_tables, slices
from voile.io.release_folder.folder_writing import check_format, refuse, save

__all__ = [
    "CERTIFICATE",
    "DICTIONARY",
    "REPORTS",
    "changed_files",
    "check_format",
    "digest",
    "read_documents",
    "read_tables",
    "refuse",
    "save",
    "slices",
]
