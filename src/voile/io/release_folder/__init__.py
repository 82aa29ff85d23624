"""The release folder: tables, dictionary.json, certificate.json, and nothing else.

A folder is written under a temporary name and moved into place whole, so a crash leaves the earlier release or none.
Reading checks the digests of the very bytes that are then parsed.
"""

from __future__ import annotations

from voile.io.release_folder.documents import Documents, read_documents
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, REPORTS, file_digest
from voile.io.release_folder.folder_reading import find_changed_files, list_row_groups, read_tables, read_verified
from voile.io.release_folder.folder_writing import check_format, check_target, write_release

__all__ = [
    "CERTIFICATE",
    "DICTIONARY",
    "REPORTS",
    "Documents",
    "check_format",
    "check_target",
    "file_digest",
    "find_changed_files",
    "list_row_groups",
    "read_documents",
    "read_tables",
    "read_verified",
    "write_release",
]
