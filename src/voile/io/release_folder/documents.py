"""The two documents of a release folder, read once, and read strictly: JSON that a reader could take in two ways is
refused."""

from __future__ import annotations

import json
import math
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from voile.errors import DataError
from voile.io.release_folder.file_names import CERTIFICATE, DICTIONARY, content_digest
from voile.io.release_folder.folder_replacement import recover, resolve_parents

_LARGEST_DOCUMENT = 1 << 30  # bytes
_MOST_DIGITS = 40  # of a number


class Documents(NamedTuple):
    """The certificate and the dictionary of a folder, and the digests of the bytes that they were parsed from."""

    certificate: dict[str, Any]
    dictionary: dict[str, Any]
    digests: dict[str, str]


def read_documents(folder: Path) -> Documents:
    """Read the certificate and the dictionary of a folder as JSON. What they say is not checked here."""
    if not os.path.isfile(folder / CERTIFICATE):
        with suppress(OSError, ValueError):  # a path that cannot exist
            recover(resolve_parents(folder))  # a process may have been killed while it replaced the release
    if not os.path.isfile(folder / CERTIFICATE):
        raise DataError(
            f"{folder.name!r} holds no {CERTIFICATE}.",
            code="data.no-release",
            hint="Name a folder that voile published.",
        )
    certificate, certificate_digest = _read_document(folder, CERTIFICATE)
    dictionary, dictionary_digest = _read_document(folder, DICTIONARY)
    return Documents(certificate, dictionary, {CERTIFICATE: certificate_digest, DICTIONARY: dictionary_digest})


def _read_document(folder: Path, name: str) -> tuple[dict[str, Any], str]:
    """Parse a document and return it with the digest of its bytes."""
    try:
        status = (folder / name).lstat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a file")
        if status.st_size > _LARGEST_DOCUMENT:
            raise ValueError("it is too large")
        content = (folder / name).read_bytes()
        document = parse_json(content)
        if not isinstance(document, dict):
            raise ValueError("it is not an object")
        if not _is_plainly_written(content, document):
            raise ValueError("it is not written as voile writes it")
    except (OSError, ValueError, RecursionError) as error:
        reason = str(error) if type(error) is ValueError else "it is not JSON in UTF-8"
        reason = "it is missing" if isinstance(error, OSError) else reason
        problem = DataError(
            f"{name} of {folder.name!r} cannot be read: {reason}.",
            code="data.document",
            hint="Fetch the release again.",
        )
    else:
        return document, content_digest(content)
    raise problem


def _is_plainly_written(content: bytes, document: Any) -> bool:
    """Whether a document is written in a usual way, with or without line breaks and escapes: blanks, escapes or digits
    that nobody needs could carry what nobody reads."""
    for indent in (1, None):
        for escapes in (False, True):
            written = json.dumps(document, indent=indent, ensure_ascii=escapes).encode("utf-8")
            if content in (written + b"\n", written):
                return True
    return False


def parse_json(content: bytes) -> Any:
    """Parse JSON in UTF-8 that means the same to every reader: no name twice in an object, no NaN, no number beyond the
    range of a double or with more than 40 digits, no half of a surrogate pair."""
    text = content.decode("utf-8")
    document = json.loads(
        text,
        object_pairs_hook=_build_object,
        parse_constant=_refuse_constant,
        parse_float=_parse_float,
        parse_int=_parse_int,
    )
    if "\\u" in text:  # an escape may stand for half a character, which cannot be written again
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    return document


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError(f"{len(pairs) - len(document)} names stand twice in one object")
    return document


def _refuse_constant(text: str) -> float:
    raise ValueError(f"it holds {text}")


def _parse_float(text: str) -> float:
    number = float(text) if len(text) <= _MOST_DIGITS else math.inf
    if not math.isfinite(number):
        raise ValueError("it holds a number that is too large or too long")
    return number


def _parse_int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError("it holds a number that is too long")
    return int(text)
