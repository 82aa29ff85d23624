"""The release folder: tables, dictionary.json, certificate.json, and nothing else.

A folder is written under a temporary name and moved into place whole, so a crash leaves the earlier release or none.
A companion file, the ledger, changes together with it.
Reading checks the digests of the very bytes that are then parsed.
"""

from __future__ import annotations

from voile.io.release_folder.companion import Companion, is_in_place
from voile.io.release_folder.documents import Documents, read_documents
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, REPORTS, SIGNATURE, file_digest
from voile.io.release_folder.folder_reading import (
    find_changed_files,
    find_file_faults,
    list_row_groups,
    read_tables,
    read_verified,
)
from voile.io.release_folder.folder_replacement import recover
from voile.io.release_folder.folder_writing import check_format, check_target, write_release

__all__ = [
    "CERTIFICATE",
    "DICTIONARY",
    "REPORTS",
    "SIGNATURE",
    "Companion",
    "Documents",
    "check_format",
    "check_target",
    "file_digest",
    "find_changed_files",
    "find_file_faults",
    "is_in_place",
    "list_row_groups",
    "read_documents",
    "read_tables",
    "read_verified",
    "recover",
    "write_release",
]
