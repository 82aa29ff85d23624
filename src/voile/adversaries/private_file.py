"""The publisher's private file: the key behind a release, and the statistics that its claims rest on.

A learned prior cannot be published, because it hands out exact counts of the table. Whoever keeps this file can later
answer what a stranger must leave open. It is as secret as the table.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from voile.adversaries.prior import Prior
from voile.adversaries.prior_learning import HEAD, parse_prior
from voile.errors import DataError, SpecError
from voile.io.release_folder.file_names import CERTIFICATE
from voile.io.safe_writing.file_replacement import replace_files
from voile.tables.secret_key import Key

KIND, FORMAT = "voile private file", 1
_KEYS = {"kind", "format", "release", "key", "priors"}


@dataclass(frozen=True)
class PrivateFile:
    """What a publisher keeps of one release: its digest, the key, and the priors that its claims name.

    >>> PrivateFile("sha256:00", Key(bytes(32)))
    PrivateFile(0 priors)
    """

    release: str
    key: Key = field(repr=False)
    priors: tuple[Prior, ...] = ()

    def __repr__(self) -> str:
        return f"PrivateFile({len(self.priors)} priors)"

    def require(self, release_digest: str) -> PrivateFile:
        """Return the file; DataError if it belongs to another release."""
        if self.release != release_digest:
            raise DataError(
                "The private file belongs to another release.",
                code="data.private",
                hint="Name the file that was written when this release was published.",
            )
        return self

    def save(self, path: str | Path) -> Path:
        """Write the file for its owner alone. A file that exists is never replaced: another release may need it."""
        path = check_private_path(path)
        priors = [
            {"column": prior.column, "rows": [list(row) for row in prior.frame().rows()]} for prior in self.priors
        ]
        key = self.key.secret.hex()
        body = {"kind": KIND, "format": FORMAT, "release": self.release, "key": key, "priors": priors}
        try:
            replace_files({path: json.dumps(body, ensure_ascii=False).encode()}, private=True)
        except OSError as error:
            raise DataError(
                f"The private file cannot be written to {path.name!r} ({error.strerror}).",
                code="data.private",
                hint="Check the free space and the permissions there.",
            ) from None
        return path

    @staticmethod
    def read(path: str | Path) -> PrivateFile:
        """Read a private file. Nothing of it is shown in errors."""
        name = Path(path).name
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise DataError(
                f"The private file {name!r} cannot be read ({error.strerror}).",
                code="data.private",
                hint="Name the file that was written when the release was published.",
            ) from None
        try:
            body = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError):
            raise _malformed(name, "it is not JSON") from None
        return _parse(name, body)


def check_private_path(path: str | Path, *folders: Path) -> Path:
    """Raise SpecError if a private file must not be written there: in a release folder, or in place of something else.
    `folders` will be release folders."""
    path = Path(path)
    if "\0" in str(path) or os.path.lexists(path):
        raise SpecError(
            f"There is already something at {path.name!r}, and a private file never replaces anything.",
            code="spec.private",
            hint="Name a new file: an earlier release may need the old one.",
        )
    parent = Path(os.path.realpath(path.parent))
    released = {Path(os.path.realpath(folder)) for folder in folders}
    if (parent / CERTIFICATE).exists() or released & {parent, *parent.parents}:
        raise SpecError(
            f"The private file {path.name!r} would lie in a release folder, which goes to recipients.",
            code="spec.private",
            hint="Name a file outside: it is as secret as the table.",
        )
    return path


def _parse(name: str, body: Any) -> PrivateFile:
    if not isinstance(body, dict) or body.get("kind") != KIND:
        raise _malformed(name, "it does not say that it is one")
    if type(body.get("format")) is not int or body["format"] > FORMAT:
        raise DataError(
            f"The private file {name!r} has a format that this version does not know.",
            code="data.private",
            hint="Read it with the version of voile that wrote it, or a newer one.",
        )
    if set(body) != _KEYS or body["format"] != FORMAT:
        raise _malformed(name, "it lacks entries, or has unknown ones")
    digits, release, priors = body["key"], body["release"], body["priors"]
    is_key = isinstance(digits, str) and len(digits) == 64 and set(digits) <= set("0123456789abcdef")
    if not is_key or not isinstance(release, str) or not isinstance(priors, list):
        raise _malformed(name, "an entry has the wrong type")
    return PrivateFile(release, Key(bytes.fromhex(digits)), tuple(_parse_prior(name, entry) for entry in priors))


def _parse_prior(name: str, entry: Any) -> Prior:
    if not isinstance(entry, dict) or set(entry) != {"column", "rows"} or not isinstance(entry["column"], str):
        raise _malformed(name, "its statistics cannot be read")
    rows: Sequence[Any] = entry["rows"] if isinstance(entry["rows"], list) else [None]
    for row in rows:
        texts_fit = isinstance(row, list) and len(row) == 4 and all(isinstance(text, str) for text in row[:3])
        if not texts_fit or type(row[3]) not in (int, float):
            raise _malformed(name, "its statistics cannot be read")
    types = {"columns": pl.String, "signature": pl.String, "value": pl.String, "probability": pl.Float64}
    rows = [(*row[:3], float(row[3])) for row in rows]
    return parse_prior(
        pl.DataFrame(rows, schema={head: types[head] for head in HEAD}, orient="row"), entry["column"], name
    )


def _malformed(name: str, why: str) -> DataError:
    return DataError(
        f"{name!r} is not a private file: {why}.",
        code="data.private",
        hint="Name the file that was written when the release was published.",
    )
