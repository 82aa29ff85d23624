"""Named forgeries: every way to mislead that was thought of or found, kept for good."""

from __future__ import annotations

from forging.named import (
    cells,
    claims,
    files,
    hidden_notes,
    json_texts,
    knowledge_claims,
    meanings,
    odd_folders,
    overflows,
    parquet_files,
    parquet_pages,
    physical_types,
    types_and_roles,
    unread_columns,
    unread_keys,
)
from forging.named.registry import NAMED

__all__ = [
    "NAMED",
    "cells",
    "claims",
    "files",
    "hidden_notes",
    "json_texts",
    "knowledge_claims",
    "meanings",
    "odd_folders",
    "overflows",
    "parquet_files",
    "parquet_pages",
    "physical_types",
    "types_and_roles",
    "unread_columns",
    "unread_keys",
]
