"""The judge: everything that is wrong with a folder, as far as a reader of the folder can tell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from forging.forgery import CERTIFICATE, DICTIONARY, Forgery, digest
from forging.judge.claims import closeness_faults, count_faults, word_faults
from forging.judge.ends import end_faults, list_ends
from forging.judge.grammar import DocumentError, Grammar, read_strictly
from forging.judge.meanings import domain_faults, hierarchy_faults, name_faults
from forging.judge.means import list_means, mean_faults
from forging.judge.shapes import own_columns, shape_groups, structure_faults
from forging.judge.tables import COUNT, Rows, TableError, cell_faults, read_csv, read_parquet

NUMBERED = re.compile(r"(.+)\.(\d{5})\.parquet", re.ASCII)


class Judge:
    """Knows the form of honest folders, and judges others by what they show."""

    def __init__(self, honest: dict[str, Forgery]) -> None:
        self.certificates: dict[str, Grammar] = defaultdict(Grammar)
        self.dictionaries: dict[str, Grammar] = defaultdict(Grammar)
        self.claims: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)  # with their method
        self.entries: dict[str, dict[str, Any]] = {}
        self.own_types: dict[str, set[str]] = defaultdict(set)
        self.formats = {(forgery.certificate["format"], forgery.dictionary["format"]) for forgery in honest.values()}
        self.tools = {forgery.certificate["tool"] for forgery in honest.values()}
        for name, forgery in honest.items():
            shape = forgery.certificate["shape"]
            self.certificates[shape].learn(forgery.certificate)
            self.dictionaries[shape].learn(forgery.dictionary)
            self.claims[shape] += [(forgery.certificate["method"]["name"], claim) for claim in forgery.claims]
            self.entries[name] = {entry["name"]: entry for entry in forgery.dictionary["columns"]}
            for table in forgery.table_names if not forgery.is_csv else ():
                for column, kind in forgery.table(table).schema.items():
                    if column in ("group", "count", "group_size"):
                        self.own_types[column].add(str(kind))

    def complaints(self, folder: Path, origin: str) -> list[str]:
        """List what is false in a folder or read by nobody; `origin` is the honest folder that it was made from."""
        try:
            return self._judge(folder, origin)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, OSError) as error:
            return [f"it makes no sense ({type(error).__name__})"]

    def _judge(self, folder: Path, origin: str) -> list[str]:
        for name in (CERTIFICATE, DICTIONARY):
            if (folder / name).is_symlink() or not (folder / name).is_file():
                return [f"{name} is no file"]
        try:
            certificate = read_strictly((folder / CERTIFICATE).read_bytes())
            dictionary = read_strictly((folder / DICTIONARY).read_bytes())
        except (DocumentError, OSError) as error:
            return [f"document: {error}"]
        shape = certificate.get("shape") if isinstance(certificate, dict) else None
        if shape not in self.certificates:
            return ["the shape is unknown"]
        found = [f"certificate: {fault}" for fault in self.certificates[shape].faults(certificate)]
        found += [f"dictionary: {fault}" for fault in self.dictionaries[shape].faults(dictionary)]
        found += [] if found else self._document_faults(certificate, dictionary)
        if found:
            return found
        names = [entry["name"] for entry in dictionary["columns"]]
        if len(set(names)) < len(names):
            return ["a column is described twice"]
        try:
            tables = self._read_tables(folder, certificate, dictionary)
        except TableError as fault:
            return [f"table {fault}"]
        found = [*self._table_faults(tables, certificate["shape"], dictionary, origin)]
        return found or [*self._claim_faults(tables, certificate, dictionary)]

    def _document_faults(self, certificate: dict[str, Any], dictionary: dict[str, Any]) -> Iterator[str]:
        quasi = [entry["name"] for entry in dictionary["columns"] if entry["role"] == "quasi"]
        sensitive = [entry["name"] for entry in dictionary["columns"] if entry["role"] == "sensitive"]
        if certificate["tool"] not in self.tools and not re.fullmatch(r"voile \d+(\.\w+)*", certificate["tool"]):
            yield "the tool is unknown"
        if (certificate["format"], dictionary["format"]) not in self.formats:
            yield "the format is unknown"
        if not certificate["claims"]:
            yield "nothing is claimed"
        if not 0 <= dictionary["withheld"] < 2**53:
            yield "withheld"
        own_method = certificate["method"]["name"]
        for claim in certificate["claims"]:
            own = [
                {**one, "quasi": claim["quasi"]}
                for method, one in self.claims[certificate["shape"]]
                if one["column"] == claim["column"]
                and (method == own_method or claim["column"] is None or "algorithm" not in one["adversary"]["knows"])
            ]
            entry = next((entry for entry in dictionary["columns"] if entry["name"] == claim["column"]), {})
            yield from word_faults(claim, own, "indicator" in entry)
            if claim["quasi"] not in dictionary.get("quasi_sets", [quasi]):
                yield "its adversary knows other columns"
            if claim["unit"] != dictionary["unit"]:
                yield "the units differ"
            if claim["column"] is not None and claim["column"] not in sensitive:
                yield "a claim is about another column"
        if not 1 <= dictionary["unit"]["rows"] < 2**31:
            yield "the unit has no rows"
        knobs = {name: value for name, value in certificate["method"].items() if type(value) in (int, float)}
        if any(
            value < 0 or (type(value) is float and value > 1 and name not in ("deviations", "min_exp"))
            for name, value in knobs.items()
        ):
            yield "a knob is out of range"
        keep = [entry["keep"] for entry in dictionary["columns"] if "keep" in entry]
        if keep and certificate["method"].get("p") not in (None, keep[0]):
            yield "the channel is not that of the method"
        if "primary" in dictionary and dictionary["primary"] not in sensitive:
            yield "the primary column is not sensitive"
        yield from _parameter_faults(certificate, dictionary, sensitive)

    def _read_tables(self, folder: Path, certificate: dict[str, Any], dictionary: dict[str, Any]) -> dict[str, Rows]:
        """Read the listed tables; raise TableError for files that are not the tables of the shape."""
        wanted = own_columns(certificate["shape"], dictionary)
        files = dict(certificate["files"])
        if files.pop(DICTIONARY, None) != digest((folder / DICTIONARY).read_bytes()):
            raise TableError("dictionary has another digest")
        pieces: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for name, stated in files.items():
            path = folder / name
            if "/" in name or path.is_symlink() or not path.is_file() or digest(path.read_bytes()) != stated:
                raise TableError(f"{name} is not that file")
            numbered = NUMBERED.fullmatch(name)
            stem, _, suffix = name.rpartition(".")
            table = numbered[1] if numbered else stem
            if suffix not in ("csv", "parquet") or table not in wanted:
                raise TableError(f"{name} is no table of this shape")
            pieces[table].append((int(numbered[2]) if numbered else -1, name))
        if set(wanted) - set(pieces) - {"joint"}:
            raise TableError("is missing")
        tables = {}
        for table, listed in pieces.items():
            numbers = [number for number, _ in sorted(listed)]
            if numbers not in ([-1], list(range(len(numbers)))):
                raise TableError(f"{table} has gaps")
            parts = [self._read_table(folder / name, dictionary, wanted[table]) for _, name in sorted(listed)]
            tables[table] = {name: [cell for part in parts for cell in part[name]] for name in parts[0]}
        return tables

    def _read_table(self, path: Path, dictionary: dict[str, Any], wanted: set[str]) -> Rows:
        entries = {entry["name"]: entry for entry in dictionary["columns"]} | list_ends(dictionary)
        entries |= list_means(dictionary)
        described = {name: entry for name, entry in entries.items() if name in wanted}
        content = path.read_bytes()
        try:
            rows = read_csv(content) if path.suffix == ".csv" else read_parquet(content, described, self.own_types)
        except pl.exceptions.PolarsError:
            raise TableError("cannot be read") from None
        if set(rows) != wanted:
            raise TableError(f"{path.name} has columns {sorted(set(rows) ^ wanted)}")
        for name in wanted - set(entries):
            if not all(cell is not None and COUNT.fullmatch(cell) and int(cell) < 2**53 for cell in rows[name]):
                raise TableError(f"{path.name} has {name} that count nothing")
        return rows

    def _table_faults(
        self, tables: dict[str, Rows], shape: str, dictionary: dict[str, Any], origin: str
    ) -> Iterator[str]:
        for entry in dictionary["columns"]:
            cells = [cell for rows in tables.values() for cell in rows.get(entry["name"], [])]
            for check in (cell_faults(entry, cells), name_faults(entry, cells), hierarchy_faults(entry)):
                yield from (f"{entry['name']}: {fault}" for fault in check)
            yield from end_faults(entry, tables)
            yield from mean_faults(entry, dictionary, tables)
            same = self.entries[origin].get(entry["name"])
            yield from (f"domain of {entry['name']}: {fault}" for fault in domain_faults(entry, cells, same))
        if not any(next(iter(rows.values()), []) for rows in tables.values()):
            yield "nobody is published"
            return
        yield from structure_faults(shape, tables, dictionary)

    def _claim_faults(
        self, tables: dict[str, Rows], certificate: dict[str, Any], dictionary: dict[str, Any]
    ) -> Iterator[str]:
        for claim in certificate["claims"]:
            sizes, groups = shape_groups(certificate["shape"], tables, dictionary, claim)
            yield from (f"{claim['model']}: {fault}" for fault in count_faults(claim, sizes, groups))
            if claim["model"] == "t-closeness":
                entry = next(entry for entry in dictionary["columns"] if entry["name"] == claim["column"])
                yield from closeness_faults(claim, groups or {}, entry.get("hierarchy"))


def _parameter_faults(certificate: dict[str, Any], dictionary: dict[str, Any], sensitive: list[str]) -> Iterator[str]:
    """Yield the parameters that name what does not exist: values, columns, digests."""
    method = certificate["method"]
    asked = method.get("l") if isinstance(method.get("l"), dict) else {}
    if set(asked) - set(sensitive) or method.get("primary") not in (None, *sensitive):
        yield "the method names a column that is not sensitive"
    entries = {entry["name"]: entry for entry in dictionary["columns"]}
    for claim in certificate["claims"]:
        numbers, entry = claim["parameters"], entries.get(claim["column"], {})
        digests = [*numbers.get("earlier", []), *([numbers["prior"]] if numbers.get("prior") else [])]
        if not all(re.fullmatch("sha256:[0-9a-f]{64}", text) for text in digests):
            yield "a digest is none"
        if claim["model"] == "sequential" and not numbers.get("earlier"):
            yield "a claim about several releases names none"
        known = entry.get("domain", {}).get("values", [])
        if known and not entry.get("indicator") and set(numbers.get("protect", [])) - set(known):
            yield "a protected value does not exist"
        levels = numbers.get("l") if isinstance(numbers.get("l"), dict) else {}
        if any(column in asked and asked[column] < level for column, level in levels.items()):
            yield "more was asked for than the method was told"
