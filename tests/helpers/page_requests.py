"""Requests to the workbench: those of a visitor who does everything right, and mutations of them."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode

import polars as pl

from voile.web.access_control import Settings

CANARY = "Canary7731"
PORT = 8000
HOST = f"127.0.0.1:{PORT}"
URLENCODED = "application/x-www-form-urlencoded"
COLUMNS = ("name", "birth", "sex", "zip", "admitted", "ward", "disease", "cost")
ROLES = {"name": "identifier", "birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}
DIGITS = ["0", "1", "2", "5", "-1", "7.5", "1e3", "1/3", "²", "٣", "９", "1_0", "0x10", "", " ", "+5", "--5"]
NUMBERS = ["9" * 30, "9" * 5000, "1e400", "1e99999999", "-1e99999999", "1/" + "9" * 400, "1e-99999999", "nan", "inf"]
TEXTS = ["x" * 300, "x" * 70_000, "ü" * 250, "a\x00b", "\x1b[2J", "\ud7ff\ue000\ue001", "\u202e\u200b", "/etc/passwd"]
TEXTS += ["<script>alert(1)</script>", "{{ 7*7 }}", "%s%n{0}", "'; drop table t; --", "sc://ann:s3cret@host", "a|b|c"]
TEXTS += ["[" * 3000, '{"a":' * 500, '"\\ud800"', "on", "none", "true", "undefined", "punycode", "idna", "utf-7", "NUL"]
TEXTS += ["\n".join("  " * depth + "a" for depth in range(1500)), "a\n  b\n a\n", "patients.csv", "below", ".", "~"]
TEXTS += ["../../etc/passwd", "release.zip", "quoted-printable", "rot13", "zip"]
SQL = ["select count(*) from t where " + "(" * 2000, "select * from t", "select count(*) from t where age = 1e999"]
SQL += [
    "select count(*) from t where sex = 'Female' and " * 300,
    "select count(*) from t",
    "with x as (select 1) select 2",
]
NASTY = [*DIGITS, *NUMBERS, *TEXTS, *SQL]
FORM = "multipart/form-data"
TYPES = ["application/json", "text/plain", "", ";", FORM, "\xff/\xff", f"{URLENCODED};charset=x", f"{FORM}; boundary=x"]
TYPES += [f"{URLENCODED}; charset=utf-16", f"{FORM}; boundary=" + "b" * 5000, f"{FORM}; boundary=x; charset=undefined"]
TYPES += [f"{FORM}; boundary=XyZ; charset=utf-7", f"{FORM}; boundary=XyZ; charset=unicode_escape"]
HEADERS = {
    "host": ["", "evil.example", "[", "127.0.0.1:1", "x:y", "127.0.0.1:8000, evil", "a@127.0.0.1:8000", "\xff"],
    "origin": ["http://[", "null", "http://evil.example", "http://127.0.0.1:8000", "http://[::1", "x" * 9000, "\xff"],
    "sec-fetch-site": ["cross-site", "none", "same-origin", ""],
    "content-type": TYPES,
    "content-length": ["-1", "abc", "9" * 30, "²", "0", "1", "4000000"],
    "cookie": ["", "voile-8000=", "voile-8000=" + "x" * 43, "voile-8000=\xff", ";;;=;", "a=b; " * 2000, 'voile-8000="'],
    "x-csrf-token": ["x", "\xff", ""],
    "range": ["bytes=0-10", "bytes=abc", "bytes=99999999-", "bytes=-5", "bytes=0-1,2-3,4-5", "x" * 3000],
    "accept-encoding": ["x" * 5000],
    "if-none-match": ["*", '"x"'],
    "transfer-encoding": ["chunked", "x"],
    "expect": ["100-continue"],
}
PATHS = ["/", "/mark", "/promise", "/compare", "/compare/found", "/publish", "/publish/release.zip", "/receive", "/job"]
PATHS += ["/publish/report", "/publish/report.html", "/publish/report.json", "/publish/spec.toml", "/static/voile.css"]
PATHS += ["/publish/private.json", "/projects", "/projects/export.toml"]
PATHS += ["/tree/1", "/tree/2", "/?rows=show", "/rows", "/people", "/people/choose", "/compare/look", "/receive/count"]
ENDS = ["/", "%00", "/..", "?" + "a=b&" * 500, "%ff", "/" + "x" * 300, "?token=x", "?token=%00", "#x", "%0d%0aX: y"]
ENDS += ["//", "?rows=show", "/%2e%2e/%2e%2e/etc/passwd", ".html", "?" + "x" * 100_000]
METHODS = ("GET", "POST", "HEAD", "PUT", "OPTIONS", "X")
TREES = ["²", "9" * 5000, "-1", "0x1", "1.0", "999", "%00", "1/2", "", "٣", "1e3"]


@dataclass(frozen=True)
class Request:
    """One request, and in `what` how it was mutated."""

    method: str
    path: str
    headers: Sequence[tuple[str, str]]
    body: tuple[bytes, ...] = ()
    cut: bool = False
    what: str = ""
    cookie: str = ""


File = tuple[str, str, bytes]  # the field, the file name, the content


@dataclass
class RequestMaker:
    """Makes requests of visitors, whose secrets it knows."""

    chance: random.Random
    settings: Settings
    table: pl.DataFrame
    secrets: dict[str, str] = field(default_factory=dict)
    release: bytes = b""

    def headers(self, cookie: str = "", **more: str) -> list[tuple[str, str]]:
        return [("host", HOST), *([("cookie", cookie)] if cookie else []), *more.items()]

    # requests without a mistake ---------------------------------------------------------------------------------
    def forms(self) -> list[tuple[str, dict[str, str], list[File]]]:
        """List a form for every address that takes one."""
        roles = {f"role.{number}": ROLES.get(name, "") for number, name in enumerate(COLUMNS)}
        tables = {"patients.csv": self.table.write_csv().encode()}
        for name, write in (("patients.parquet", self.table.write_parquet), ("patients.arrow", self.table.write_ipc)):
            write(content := io.BytesIO())
            tables[name] = content.getvalue()
        reading = {"how": "upload", "delimiter": "", "encoding": "", "null": "", "columns": ""}
        name, content_of_table = self.chance.choice(list(tables.items()))
        count = {"column.0": "sex", "how.0": "is", "value.0": "Female", "column.1": "birth", "how.1": "between"}
        return [
            ("/", {"how": "path", "path": "patients.csv"}, []),
            ("/mark", {**roles, "missing": "error"}, []),
            ("/tree/1", {"how": "recipe", "recipe": "auto"}, []),
            ("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "5"}, []),
            ("/publish", {"name": "release", "format": self.chance.choice(("csv", "parquet")), "where": "zip"}, []),
            ("/receive", {"how": "own"}, []),
            ("/receive/count", {**count, "value.1": "1950|1980"}, []),
            # in any order
            ("/", reading, [("file", name, content_of_table)]),
            ("/receive", {"how": "upload"}, [("file", "release.zip", self.release)]),
            ("/receive", {"how": "files"}, self._unpacked()),
            ("/receive", {"how": "path", "path": "release"}, []),
            ("/receive/count", {"sql": "select count(*) from t where sex = 'Female'"}, []),
            ("/rows", {}, []),
            ("/people", {}, []),
            ("/people/choose", {"rows_per_person": "2"}, []),
            ("/mark", {**roles, "person": "0", "rows_per_person": "1", "rows_are": "people", "kind.1": "numeric"}, []),
            ("/tree/2", {"how": "tree", "outline": "any\n  Female\n  Male\n"}, []),
            ("/promise", {"models.t-closeness.on": "on", "models.t-closeness.t": "0.4", "live": "yes"}, []),
            ("/promise", self._any_promise(), []),
            ("/compare", {"methods.mondrian.on": "on", "attacks.linking.on": "on", "measures.certainty.on": "on"}, []),
            ("/compare/look", {"trial": "0"}, []),
            ("/job/cancel", {"back": "/mark"}, []),
            ("/tree/2", {"how": "merge", "label": "1", "name": "any", "drawn": "0"}, []),
            ("/tree/2", {"how": self.chance.choice(("undo", "redo"))}, []),
            ("/tree/2", {"how": "import"}, [("file", "sex.csv", b"Female;any\nMale;any\n")]),
            *[(f"/projects/{verb}", {"name": "fuzz"}, []) for verb in ("create", "open", "export")],
            *[(f"/projects/{verb}", {"back": "/mark"}, []) for verb in ("undo", "redo", "save", "close", "again")],
            ("/projects/import", {"name": "fuzz"}, [("file", "fuzz.toml", b"kind = 'voile project'\nformat = 1")]),
            ("/projects/rename", {"name": "fuzz", "new": self.chance.choice(("fuzz", "fuzzy"))}, []),
            ("/projects/delete", {"name": "fuzz", "sure": "yes"}, []),
            ("/projects/table", {"table": "patients.csv"}, []),
            ("/projects/take-back", {}, []),
        ]

    def _any_promise(self) -> dict[str, str]:
        from voile.web.forms import make_cards

        card = self.chance.choice(make_cards("models"))
        name = f"models.{card.name}"
        return {f"{name}.on": "on", **{f"{name}.{knob.name}": knob.value for knob in card.fields}}

    def _unpacked(self) -> list[File]:
        if not self.release:
            return []
        with zipfile.ZipFile(io.BytesIO(self.release)) as packed:
            return [("files", name, packed.read(name)) for name in packed.namelist()]

    def path_through_all_steps(self, cookie: str) -> list[Request]:
        """Return the requests of a visitor who loads a table, publishes it, and verifies the release."""
        return [self._encode(path, form, files, cookie) for path, form, files in self.forms()[:7]]

    def receive_release(self, cookie: str) -> Request:
        """Return the request of a recipient who verifies a zip."""
        return self._encode("/receive", {"how": "upload"}, [("file", "release.zip", self.release)], cookie)

    def _encode(
        self, path: str, form: dict[str, str], files: list[File], cookie: str, multipart: bool = False
    ) -> Request:
        """Write a form as a request."""
        form = {"csrf": self.secrets.get(cookie, ""), **form}
        if not files and not multipart:
            body = urlencode(form, errors="replace").encode()
            return Request("POST", path, self.headers(cookie, **{"content-type": URLENCODED}), (body,), cookie=cookie)
        parts = [(f'name="{name}"', value.encode(errors="replace")) for name, value in form.items()]
        parts += [(f'name="{name}"; filename="{file}"', content) for name, file, content in files]
        body = b"".join(
            b"--XyZ\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % (head.encode(errors="replace"), content)
            for head, content in parts
        )
        headers = self.headers(cookie, **{"content-type": "multipart/form-data; boundary=XyZ"})
        return Request("POST", path, headers, (body + b"--XyZ--\r\n",), cookie=cookie)

    # requests with mistakes ---------------------------------------------------------------------------------------
    def make(self, cookie: str) -> Request:
        """Make a request with one to three mistakes; some have none."""
        if self.chance.random() < 0.2:
            path = self.chance.choice(PATHS)
            request = Request("GET", path, self.headers(cookie), cookie=cookie)
            return self._mutate_rest(request, 0.7)
        path, form, files = self.chance.choice(self.forms())
        if path == "/compare" and self.chance.random() < 0.7:
            path, form, files = self.forms()[1]
        whats = []
        for _ in range(self.chance.choice((1, 1, 1, 2, 3))):
            if files and self.chance.random() < 0.7:
                files = [self._mutate_file(file) if self.chance.random() < 0.8 else file for file in files]
                whats.append("file")
            elif form:
                name = self.chance.choice(list(form))
                form = {**form, name: self._mutate_text(form[name])}
                whats.append(name)
        if path.startswith("/tree") and self.chance.random() < 0.3:
            path = "/tree/" + quote(self.chance.choice(TREES), safe="%/")
        request = self._encode(path, form, files, cookie, multipart=self.chance.random() < 0.2)
        return self._mutate_rest(replace(request, what=" ".join(whats)), 0.2)

    def _mutate_text(self, text: str) -> str:
        if self.chance.random() < 0.7 or not text:
            return self.chance.choice(NASTY)
        letters = list(text)
        letters[self.chance.randrange(len(letters))] = self.chance.choice("\x00|/²=:,e9.-\"' \n")
        return "".join(letters) * self.chance.choice((1, 1, 1, 40))

    def _mutate_file(self, file: File) -> File:
        name, file_name, content = file
        kind = self.chance.random()
        if kind < 0.25:
            end = file_name.rpartition(".")[2]
            return name, self.chance.choice(NASTY)[:20_000].replace('"', "") + f".{end}", content
        if kind < 0.4:
            return name, file_name, content[: self.chance.randrange(len(content) + 1)]
        if kind < 0.5:
            return name, file_name, _bomb(self.chance) if file_name.endswith("zip") else b"\r\r\n\x00" * 99
        start = content.find(b"\n") + 1 if file_name.endswith(".csv") else 0  # a cell must not become a column's name
        damaged = bytearray(content)
        for _ in range(self.chance.choice((1, 1, 3, 30))):
            if len(damaged) > start:
                damaged[self.chance.randrange(start, len(damaged))] = self.chance.choice(b'\x00\xff,;"\r\n\t 9eE')
        return name, file_name, bytes(damaged)

    def _mutate_rest(self, request: Request, how_often: float) -> Request:
        """Mutate the method, the address, the headers or the pieces of the body."""
        if self.chance.random() > how_often:
            return request
        kind = self.chance.choice(("method", "path", "header", "header", "header", "body", "cut", "json", "pieces"))
        whole = b"".join(request.body)
        if kind == "method":
            return replace(request, method=self.chance.choice(METHODS), what=kind)
        if kind == "path":
            return replace(request, path=request.path + self.chance.choice(ENDS), what=kind)
        if kind == "header":
            name = self.chance.choice(list(HEADERS))
            value = self.chance.choice(HEADERS[name])
            return replace(request, headers=_set_header(request.headers, name, value), what=f"{name}: {value[:60]!r}")
        if kind == "json":
            deep: Any = '{"a":' * 20_000 if self.chance.random() < 0.5 else json.dumps({"csrf": "x", "how": ["demo"]})
            headers = _set_header(request.headers, "content-type", "application/json")
            return replace(request, headers=headers, body=(deep.encode(),), what=kind)
        if kind == "pieces" and whole:
            size = max(len(whole) // 50, 1)
            pieces = tuple(whole[start : start + size] for start in range(0, len(whole), size))
            return replace(request, body=pieces)
        if kind == "body" and whole:
            damaged = bytearray(whole)
            for _ in range(3):
                damaged[self.chance.randrange(min(len(damaged), 2000))] = self.chance.randrange(256)
            return replace(request, body=(bytes(damaged),), what=f"{request.what} {kind}")
        keep = self.chance.randrange(len(whole) + 1)
        return replace(request, body=(whole[:keep],), cut=self.chance.random() < 0.5, what=f"{request.what} cut")


def _set_header(headers: Sequence[tuple[str, str]], name: str, value: str) -> list[tuple[str, str]]:
    return [*(pair for pair in headers if pair[0] != name), (name, value)]


def _bomb(chance: random.Random) -> bytes:
    """Return a zip that is small and unpacks to much, in one way or another."""
    content = io.BytesIO()
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(content, "w", method) as packed:
        packed.writestr(f"{chance.choice(('', 'r/', 'r/' * 900, '../', '/'))}certificate.json", b"{}")
        kind = chance.choice(("large", "many", "names"))
        if kind == "large":
            packed.writestr("r/table.csv", b"0" * 30_000_000)
        for number in range({"many": 1200, "names": 3}.get(kind, 0)):
            packed.writestr(f"r/{number}" if kind == "many" else f"r/{number}" + chance.choice(TEXTS)[:60_000], b"")
    return content.getvalue()
