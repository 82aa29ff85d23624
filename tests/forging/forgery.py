"""A copy of an honest folder in memory, which a forger changes and writes with fresh digests."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from forging.parquet_bytes import from_bytes, to_bytes

CERTIFICATE, DICTIONARY = "certificate.json", "dictionary.json"
Edit = Callable[[pl.DataFrame], pl.DataFrame]


def digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


class Forgery:
    """The files of a folder and its two documents; whatever is changed, the digests agree again when it is written.

    `certificate` and `dictionary` are edited as objects. `certificate_text` and `dictionary_text` edit the bytes that
    are written in the end, for faults that no JSON library writes.
    """

    def __init__(self, folder: Path, form: str | None = None) -> None:
        self.files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        self.certificate: Any = json.loads(self.files.pop(CERTIFICATE))
        self.dictionary: Any = json.loads(self.files.pop(DICTIONARY))
        self.listed: dict[str, str] = {name: name for name in self.files}  # the listed name, and the file it digests
        self.links: dict[str, str] = {}  # files that are symbolic links
        self.late_links: dict[str, str] = {}  # documents that become links, or links to devices, in the end
        self.pipes: tuple[str, ...] = ()  # files that are named pipes
        self.certificate_text: Callable[[str], str | bytes] = str
        self.dictionary_text: Callable[[str], str | bytes] = str
        self.relist: Callable[[dict[str, Any]], Any] | None = None
        self.suffix = form or (".csv" if any(name.endswith(".csv") for name in self.files) else ".parquet")

    def copy(self) -> Forgery:
        """Return a copy whose documents can be changed without changing this one."""
        other = object.__new__(Forgery)
        other.__dict__.update(self.__dict__)
        other.files, other.listed, other.links = dict(self.files), dict(self.listed), dict(self.links)
        other.certificate = json.loads(json.dumps(self.certificate))
        other.dictionary = json.loads(json.dumps(self.dictionary))
        return other

    # documents -------------------------------------------------------------------------------------------------------
    @property
    def claims(self) -> list[dict[str, Any]]:
        return list(self.certificate["claims"])

    def claim(self, model: str) -> dict[str, Any]:
        """Return the first claim of a model."""
        return next(claim for claim in self.claims if claim["model"] == model)

    def entry(self, name: str) -> dict[str, Any]:
        """Return the dictionary's entry for a column."""
        return next(entry for entry in self.dictionary["columns"] if entry["name"] == name)

    # tables ----------------------------------------------------------------------------------------------------------
    @property
    def is_csv(self) -> bool:
        return self.suffix == ".csv"

    def table(self, name: str) -> pl.DataFrame:
        """Return a table: with its types from Parquet, as text from CSV."""
        content = self.files[name + self.suffix]
        if self.is_csv:
            return pl.read_csv(content, infer_schema=False)
        return from_bytes(content)

    def set_table(self, name: str, table: pl.DataFrame) -> None:
        """Write a table as a file of the folder, and list it."""
        self.add(name + self.suffix, table.write_csv().encode() if self.is_csv else to_bytes(table))

    def edit(self, name: str, change: Edit) -> None:
        """Change a table."""
        self.set_table(name, change(self.table(name)))

    @property
    def table_names(self) -> list[str]:
        """The tables, named as their files are without the suffix."""
        return [name.removesuffix(self.suffix) for name in self.files if name.endswith(self.suffix)]

    def add(self, name: str, content: bytes, listed: bool = True) -> None:
        """Put a file into the folder, and list it in the certificate."""
        self.files[name] = content
        if listed:
            self.listed[name] = name

    def drop(self, name: str) -> None:
        """Remove a file and its entry in the certificate."""
        del self.files[name]
        self.listed.pop(name, None)

    # the folder ------------------------------------------------------------------------------------------------------
    def write(self, folder: Path) -> None:
        """Write the folder with the digests of what it now holds."""
        folder.mkdir(parents=True, exist_ok=True)
        dictionary = _encode(self.dictionary_text(json.dumps(self.dictionary, indent=1)))
        (folder / DICTIONARY).write_bytes(dictionary)
        for name, content in self.files.items():
            path = folder / name
            if "/" in name:
                path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name, target in self.links.items():
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(target)
        if isinstance(self.certificate, dict) and "files" in self.certificate:
            files = {name: digest(self.files[source]) for name, source in self.listed.items() if source in self.files}
            files[DICTIONARY] = digest(dictionary)
            self.certificate["files"] = self.relist(files) if self.relist else files
        (folder / CERTIFICATE).write_bytes(_encode(self.certificate_text(json.dumps(self.certificate, indent=1))))
        for name, target in self.late_links.items():
            if not target.startswith("/"):
                (folder / name).rename(folder / target)
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(target)
        for name in self.pipes:
            (folder / name).unlink(missing_ok=True)
            os.mkfifo(folder / name)


def _encode(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
