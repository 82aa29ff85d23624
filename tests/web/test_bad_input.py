"""Bad input gives a message with a hint on the page, never a stack trace and never a cell."""

from __future__ import annotations

import asyncio
import re
import tempfile
from typing import Any

import polars as pl
import pytest
from starlette.requests import Request

from voile.web.form_bodies import RefusedRequest, open_form

SECRET = "Quixote"


def read_alert(page: str) -> str:
    """Return the alert of a page, without its tags."""
    alert = re.search(r'<section class="problem" role="alert".*?</section>', page, re.DOTALL)
    assert alert, "the page has no alert"
    text = re.sub(r"<[^>]+>", " ", alert[0])
    assert "Traceback" not in page
    assert "Unexpected" not in page
    assert SECRET not in page
    return " ".join(text.split())


FILES = {
    "broken.csv": (f'name,age\n{SECRET},31\n{SECRET},32,33,34\n"{SECRET}', "line"),
    "empty.csv": ("", "empty"),
    "header.csv": ("name,age\n", "no rows"),
    "binary.csv": (b"\xff\xfe\x00\x01\x02" * 50, ""),
    "fake.parquet": (b"PAR1 nothing PAR1", "Parquet"),
    "odd.xyz": (f"name\n{SECRET}\n", "cannot be read"),
    "cyrillic.csv": (f"name,город\n{SECRET},Пермь\n".encode("cp1251"), "cp1251"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_gives_the_reason(visitor: Any, name: str) -> None:
    content, word = FILES[name]
    raw = content if isinstance(content, bytes) else str(content).encode()
    page = visitor.post("/", {"how": "upload"}, files={"file": (name, raw)})
    assert word in read_alert(page)


def test_a_wrong_delimiter_is_noticed(visitor: Any, folder: Any) -> None:
    (folder / "semi.csv").write_text(f"age;name\n31;{SECRET}\n32;{SECRET}\n")
    page = visitor.post("/", {"how": "path", "path": "semi.csv", "delimiter": "comma"})
    assert "Name the separator (e.g. Separator: semicolon ;)" in read_alert(page)
    page = visitor.post("/", {"how": "path", "path": "semi.csv"})
    assert "semi.csv: at a glance" in page


def test_too_many_columns_are_refused_unless_some_are_named(visitor: Any, folder: Any) -> None:
    pl.DataFrame({f"c{n}": [1, 2, 3] for n in range(2000)}).write_csv(folder / "wide.csv")
    page = visitor.post("/", {"how": "path", "path": "wide.csv"})
    assert "2000 columns" in read_alert(page)
    assert "Name the columns" in read_alert(page)
    page = visitor.post("/", {"how": "path", "path": "wide.csv", "columns": "c1, c2"})
    assert "wide.csv: at a glance" in page
    page = visitor.post("/", {"how": "path", "path": "wide.csv", "columns": "c1, nope"})
    assert "no column &#39;nope&#39;" in page


def test_a_missing_file_path_or_release_is_named(visitor: Any) -> None:
    assert "No file was chosen" in read_alert(visitor.post("/", {"how": "upload"}))
    assert "No path was given" in read_alert(visitor.post("/", {"how": "path", "path": " "}))
    assert "does not exist" in read_alert(visitor.post("/", {"how": "path", "path": "nothing.csv"}))
    assert "is a folder" in read_alert(visitor.post("/", {"how": "path", "path": "below"}))
    assert "No zip was chosen" in read_alert(visitor.post("/receive", {"how": "upload"}))
    assert "No release was named" in read_alert(visitor.post("/receive", {"how": "path"}))
    assert "no certificate.json" in read_alert(visitor.post("/receive", {"how": "path", "path": "below"}))
    page = visitor.post("/receive", {"how": "upload"}, files={"file": ("x.zip", b"PK nothing")})
    assert "damaged" in read_alert(page)


def test_unique_values_marked_as_known_give_advice(visitor: Any, folder: Any) -> None:
    rows = {"code": [f"{SECRET}{n:05}" for n in range(3000)], "age": [n % 60 for n in range(3000)]}
    pl.DataFrame({**rows, "disease": ["a", "b", "c"] * 1000}).write_csv(folder / "codes.csv")
    visitor.post("/", {"how": "path", "path": "codes.csv"})
    page = visitor.mark({"code": "quasi", "age": "quasi", "disease": "sensitive"})
    assert "3,000 of 3,000 rows have a value of &#39;code&#39; that no other has" in page
    assert "Mark it as an identifier" in page
    assert SECRET not in page


def test_roles_that_do_not_fit_are_refused(visitor: Any) -> None:
    visitor.post("/", {"how": "demo"})
    assert "no quasi-identifier" in read_alert(visitor.mark({"disease": "sensitive"}))
    page = visitor.mark({"sex": "quasi", "disease": "sensitive"}, **{"kind.2": "numeric"})
    assert "marked numeric" in read_alert(page)


def test_missing_cells_are_refused_dropped_or_a_value(visitor: Any, folder: Any) -> None:
    (folder / "holes.csv").write_text("age,disease\n" + "31,flu\n,flu\n33,\n" * 5)
    visitor.post("/", {"how": "path", "path": "holes.csv"})
    roles = {"age": "quasi", "disease": "sensitive"}
    assert "missing cells" in read_alert(visitor.mark(roles))
    assert "10 rows with missing cells will be left out" in visitor.mark(roles, missing="drop")
    assert "will be left out" not in visitor.mark(roles, missing="value")


def test_a_promise_out_of_reach_names_the_largest_possible_value(visitor: Any) -> None:
    visitor.post("/", {"how": "demo"})
    visitor.mark({"birth": "quasi", "sex": "quasi", "disease": "sensitive"})
    page = visitor.post("/promise", {"models.l-diversity.on": "on", "models.l-diversity.l": "30"})
    assert "largest possible l is 7" in page
    live = visitor.client.post(
        "/promise",
        data={
            "csrf": visitor.csrf(),
            "live": "yes",
            "models.k-anonymity.on": "on",
            "models.k-anonymity.k": "401",
        },
    )
    assert "largest possible k is 400" in live.text
    assert "<html" not in live.text


def test_values_that_do_not_fit_stay_in_the_form(visitor: Any) -> None:
    visitor.post("/", {"how": "demo"})
    visitor.mark({"birth": "quasi", "sex": "quasi", "disease": "sensitive"})
    form = {"models.k-anonymity.on": "on", "models.k-anonymity.k": "1", "models.t-closeness.on": "on"}
    page = visitor.post("/promise", {**form, "models.t-closeness.t": "7"})
    assert "must be at least 2" in read_alert(page)
    assert "must be at most 1" in read_alert(page)
    assert re.search(r'name="models.k-anonymity.k"[^>]*value="1"', page)
    assert "Nothing is promised yet" in read_alert(visitor.post("/promise", {}))


def test_a_tree_that_does_not_fit_is_refused_and_kept_in_the_form(visitor: Any) -> None:
    visitor.post("/", {"how": "demo"})
    visitor.mark({"sex": "quasi", "zip": "quasi", "disease": "sensitive"})
    page = visitor.post("/tree/2", {"how": "tree", "outline": "people\n  Female\n"})
    assert "lacks 1 of 2 values" in read_alert(page)
    assert "people" in page  # the typed text is not lost
    assert "cannot be read" in read_alert(visitor.post("/tree/2", {"how": "tree", "outline": "    a\nb\n"}))
    assert "no such recipe" in read_alert(visitor.post("/tree/2", {"how": "recipe", "recipe": "magic"}))
    assert "intervals are for numbers" in read_alert(
        visitor.post("/tree/2", {"how": "recipe", "recipe": "intervals:5"})
    )


def test_steps_out_of_order_lead_back(visitor: Any) -> None:
    visitor.post("/", {"how": "demo"})
    for path, home in (("/promise", "/mark"), ("/compare", "/mark"), ("/publish", "/mark"), ("/tree/1", "/mark")):
        assert visitor.client.get(path).url.path == home
    for path in ("/publish/release.zip", "/publish/report"):
        assert visitor.client.get(path).url.path == "/mark"
    for path in ("/compare", "/compare/look", "/publish", "/receive/count", "/rows"):
        assert visitor.post(path, {"trial": "99"})
    assert visitor.client.get("/tree/999").status_code == 200
    assert visitor.client.get("/nothing").status_code == 404


@pytest.mark.parametrize("end", [b"", b"\r\n--x", b"\r\n--x\r\n", b"\r\n--x--"])
def test_the_file_of_a_form_that_is_cut_off_is_closed(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    files = []

    def open_file(**more: Any) -> Any:
        files.append(tempfile.SpooledTemporaryFile(**more))  # noqa: SIM115 - the parser has to close it
        return files[-1]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": head + SECRET.encode() + end}

    async def read_form() -> list[str]:
        async with open_form(Request(scope, receive)) as form:
            return list(form)

    monkeypatch.setattr("starlette.formparsers.SpooledTemporaryFile", open_file)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"multipart/form-data; boundary=x")]}
    if end.endswith(b"--"):
        assert asyncio.run(read_form()) == ["file"]
    else:
        with pytest.raises(RefusedRequest, match="cut off"):
            asyncio.run(read_form())
    assert [file.closed for file in files] == [True]
