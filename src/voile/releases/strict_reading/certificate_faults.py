"""Faults in the form of certificate.json: every key is known and has its type, or the certificate is refused.

The document may come from a stranger. Whether it tells the truth is for verify to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from voile.errors import DataError
from voile.releases.certificate import FORMAT, PREPARATIONS
from voile.version import __version__

Kinds = dict[str, type | tuple[type, ...]]

_PARTS: Kinds = {"format": int, "tool": str, "shape": str, "method": dict, "claims": list, "files": dict}
_CLAIM_PARTS: Kinds = {
    "model": str,
    "parameters": dict,
    "column": (str, type(None)),
    "quasi": list,
    "limits": str,
    "bound": str,
    "adversary": dict,
    "basis": str,
    "promise": str,
    "unit": dict,
    "not_covered": list,
}
_TOOL = re.compile(r"voile [0-9]{1,4}(\.[0-9]{1,6}){1,3}((a|b|rc|\.dev|\.post)[0-9]{1,6})?")
_BOUND = re.compile(r"[0-9]{1,400}(/[0-9]{1,400})?")
_MOST = 10_000  # no format number is as large
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def refuse_other_formats(document: dict[str, Any]) -> None:
    """Raise DataError for a certificate of another format: it may well be true, and this version cannot tell."""
    found = document.get("format")
    if type(found) is not int or found == FORMAT or not 0 < found < _MOST:
        return
    tool = document.get("tool")
    is_known = isinstance(tool, str) and _TOOL.fullmatch(tool)
    writer = f"{tool}, which wrote it" if is_known else "the version that wrote it"
    raise DataError(
        f"The certificate has format {found}, and voile {__version__} reads format {FORMAT}.",
        code="data.release-format",
        hint=f"Read and verify the release with {writer}.",
    )


def certificate_faults(document: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the form of a certificate."""
    if type(document.get("format")) is not int or document["format"] != FORMAT:
        yield f"its format is not {FORMAT}, which this version reads"
        return
    faults = list(part_faults(document, _PARTS, ("prepared",)))
    yield from faults
    if faults:
        return
    if not _TOOL.fullmatch(document["tool"]):
        yield "its tool is not a version of voile"
    prepared = document.get("prepared", {})
    if not isinstance(prepared, dict) or any(PREPARATIONS.get(step) != words for step, words in prepared.items()):
        yield "'prepared' says what no step at the border does"
    for number, claim in enumerate(document["claims"], 1):
        if not isinstance(claim, dict):
            yield f"claim {number} is not an object"
            continue
        faults = list(part_faults(claim, _CLAIM_PARTS, ("found",))) or list(_claim_faults(claim))
        yield from (f"in claim {number}, {fault}" for fault in faults)
    for name, digest in document["files"].items():
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            yield f"the digest of {name!r} is not one"


def _claim_faults(claim: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with texts that stand for something else: a fraction, statistics, earlier releases."""
    if not _BOUND.fullmatch(claim["bound"]):
        yield "'bound' is no fraction"
    prior, earlier = claim["parameters"].get("prior"), claim["parameters"].get("earlier", [])
    digests = [*([] if prior is None else [prior]), *(earlier if isinstance(earlier, list) else [earlier])]
    if not all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in digests):
        yield "statistics or earlier releases are not named by their digest"


def part_faults(document: dict[str, Any], kinds: Kinds, optional: tuple[str, ...]) -> Iterator[str]:
    """Yield the parts that are missing, unknown, or of another type. A truth value is no number."""
    for key in document:
        if key not in kinds and key not in optional:
            yield f"{key!r} is not known"
    for key, kind in kinds.items():
        value = document.get(key)
        if key not in document:
            yield f"{key!r} is missing"
        elif not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            yield f"{key!r} has the wrong type"
