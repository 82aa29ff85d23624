"""The steps, without a browser: clicks become a spec, and the published release keeps its promise."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
import tomllib
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import voile as vl
from voile.adversaries.presets import presets
from voile.plugins.registry import registered_classes
from voile.releases.release import Release

ROLES = {"name": "identifier", "birth": "quasi", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}


def test_a_table_is_loaded_by_path_upload_or_as_demo(visitor: Any, folder: Path) -> None:
    for data, files in (
        ({"how": "path", "path": "patients.csv"}, None),
        ({"how": "path", "path": "below/patients.parquet"}, None),
        ({"how": "upload"}, {"file": ("my patients.csv", (folder / "patients.csv").read_bytes())}),
        ({"how": "demo"}, None),
    ):
        page = visitor.post("/", data, **({"files": files} if files else {}))
        assert "400 of 400 people (100 %)" in page
        assert "at a glance" in page


def test_rows_are_shown_only_on_request_and_without_names(visitor: Any) -> None:
    names = vl.datasets.hospital()["name"].to_list()
    page = visitor.post("/", {"how": "demo"})
    assert "2025-" not in page
    page = visitor.client.post("/rows", data={"csrf": visitor.csrf()}).text
    assert "The first 8 rows" in page
    assert not any(name in page for name in names)
    assert "The first 8 rows" not in visitor.client.get("/").text


def test_every_model_method_attack_measure_and_preset_is_offered(visitor: Any) -> None:
    choose_promise(visitor)
    page = visitor.client.get("/promise").text
    assert all(f"models.{name}.on" in page for name in registered_classes("models"))
    page = visitor.client.get("/compare").text
    for family in ("methods", "attacks", "measures"):
        assert all(f"{family}.{name}.on" in page for name in registered_classes(family))
    assert all(f"adversary.{name}" in page for name in presets())


def test_every_control_has_a_label(visitor: Any) -> None:
    choose_promise(visitor)
    for path in ("/", "/mark", "/tree/2", "/promise", "/compare", "/publish", "/receive"):
        page = re.sub(r"<noscript>.*?</noscript>", "", visitor.client.get(path).text)
        labelled = set(re.findall(r'<label[^>]*for="([^"]+)"', page))
        inside = re.sub(r"<label.*?</label>", "", page, flags=re.DOTALL)
        for control in re.findall(r"<(?:input|select|textarea)\b[^>]*>", inside):
            if 'type="hidden"' in control:
                continue
            name = re.search(r'\bid="([^"]+)"', control)
            assert "aria-label=" in control or (name and name[1] in labelled), f"{path}: {control}"
        assert len(re.findall(r"<h1>", page)) == 1
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), path


def choose_promise(visitor: Any) -> None:
    visitor.post("/", {"how": "path", "path": "patients.csv"})
    visitor.mark(ROLES)
    visitor.post("/promise", {"models.k-anonymity.on": "on", "models.k-anonymity.k": "5"})


def test_an_edited_tree_is_saved_in_the_spec(visitor: Any) -> None:
    choose_promise(visitor)
    page = visitor.client.get("/tree/3").text
    outline = re.search(r'<textarea id="outline"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    assert outline
    tree = unescape(outline[1]).replace("0****", "everything that begins with 0", 1)
    visitor.post("/tree/3", {"how": "tree", "outline": tree})
    spec = tomllib.loads(visitor.client.get("/publish/spec.toml").text)
    assert "everything that begins with 0" in spec["schema"]["hierarchies"]["zip"]
    assert "everything that begins with 0" in visitor.client.get("/tree/3").text
    visitor.post("/tree/3", {"how": "recipe", "recipe": "prefixes:3,1"})
    spec = tomllib.loads(visitor.client.get("/publish/spec.toml").text)
    assert spec["schema"]["hierarchies"] == {"zip": "prefixes:3,1"}
    visitor.mark({**ROLES, "zip": "other"})  # the column is no longer marked as known to others
    assert "prefixes" in visitor.client.get("/publish/spec.toml").text


def test_the_promise_is_shown_in_plain_words(visitor: Any) -> None:
    choose_promise(visitor)
    page = visitor.client.get("/promise").text
    assert unescape(vl.KAnonymity(k=5).promise("")) in unescape(page)
    assert "It holds against a neighbour" in page
    assert "the true sensitive values of other people in the table" in page  # knowledge that the promise does not cover
    assert "At least 2. <strong>On this table: at most 400.</strong>" in page


def test_a_table_goes_from_comparison_to_recipient(visitor: Any, folder: Path, tmp_path: Path) -> None:
    """Compare, look closer, publish, repeat at the command line, verify and count."""
    choose_promise(visitor)
    form = {"methods.mondrian.on": "on", "methods.full-domain.on": "on", "methods.full-domain.suppression": "0.05"}
    form |= {"attacks.linking.on": "on", "measures.query-error.on": "on", "measures.query-error.queries": "50"}
    page = visitor.post("/compare", form)
    assert "keeps the promise at the least loss" in page
    assert "full-domain (suppression=0.05)" in page
    assert "<svg" in page
    page = visitor.post("/compare/look", {"trial": "0"})
    assert "A closer look" in page
    assert page.count("<figure>") == 5  # the frontier, and four columns
    assert page.count("a recipient learns nothing about this column") == 1
    page = visitor.post("/publish", {"where": "folder", "name": "out", "format": "csv", "report": "yes"})
    assert "HOLDS" in page
    assert vl.verify(folder / "out").holds
    packed = visitor.client.get("/publish/release.zip")
    assert packed.headers["content-disposition"] == 'attachment; filename="out.zip"'
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        archive.extractall(tmp_path)
    assert vl.verify(tmp_path / "out").holds
    report = visitor.client.get("/publish/report")
    assert "Privacy report" in report.text
    assert "sandbox" in report.headers["content-security-policy"]
    private = visitor.client.get("/publish/private.json")
    assert private.json()["release"] == vl.load(folder / "out").digest
    check_command(visitor, page, folder, tmp_path)
    check_reception(visitor, packed.content, vl.load(folder / "out"))


def test_the_zip_holds_only_the_published_files(visitor: Any, folder: Path) -> None:
    """It leaves out other files in the folder of an earlier release, and the report unless it is requested."""
    choose_promise(visitor)
    form = {"where": "folder", "name": "again", "format": "csv"}
    visitor.post("/publish", {**form, "report": "yes"})
    (folder / "again" / "patients.csv").write_bytes((folder / "patients.csv").read_bytes())
    assert "already holds a release" in visitor.post("/publish", form)
    visitor.post("/publish", {**form, "force": "yes"})
    assert (folder / "again" / "patients.csv").is_file()
    with zipfile.ZipFile(io.BytesIO(visitor.client.get("/publish/release.zip").content)) as archive:
        names = sorted(archive.namelist())
    assert names == ["READ_ME.html", "again/certificate.json", "again/dictionary.json", "again/table.csv"]
    assert "Privacy report" in visitor.client.get("/publish/report").text


def check_command(visitor: Any, page: str, folder: Path, place: Path) -> None:
    """Check that the command and the spec on the page make a release with the same claims."""
    shown_command = re.search(r'<textarea id="command"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert shown_command
    command = unescape(shown_command[1])
    assert command == "voile publish patients.csv --spec spec.toml --out out"
    (place / "again").mkdir()
    (place / "again" / "spec.toml").write_text(visitor.client.get("/publish/spec.toml").text)
    (place / "again" / "patients.csv").write_bytes((folder / "patients.csv").read_bytes())
    subprocess.run([sys.executable, "-m", *command.split()], cwd=place / "again", check=True, capture_output=True)
    first, second = vl.load(place / "out"), vl.load(place / "again" / "out")
    assert first.certificate.claims == second.certificate.claims
    assert first.certificate.method == second.certificate.method


def check_reception(visitor: Any, packed: bytes, release: Release) -> None:
    """Check that a recipient can verify the release and run COUNT queries on it."""
    page = visitor.post("/receive", {"how": "upload"}, files={"file": ("out.zip", packed)})
    assert "Everything that the certificate claims has been recounted" in page
    condition = {"column.0": "sex", "how.0": "is", "value.0": "Female"}
    page = visitor.post("/receive/count", condition)
    assert "sex is Female" in page
    page = visitor.post("/receive/count", {**condition, "column.1": "birth", "how.1": "least", "value.1": "1960-01-01"})
    assert "birth is at least 1960-01-01" in page
    page = visitor.post("/receive/count", {"sql": "select count(*) from t where disease = 'Asthma'"})
    assert f"<strong>{release.count(disease='Asthma').estimate:.1f}</strong>".replace(".0<", "<") in page
    page = visitor.post("/receive/count", {"sql": "select sex, count(*) from t group by sex"})
    assert "sex Female: count" in page
    page = visitor.post("/receive/cross", {"first": "sex", "second": "disease"})
    assert "95 % interval" in page
    assert "<td" in page[page.index('class="cross"') :]
    page = visitor.post("/receive/complete", {"draws": "2", "format": "csv"})
    assert "Download 2 tables" in page
    assert visitor.client.get("/receive/completions").text.startswith("_draw,")
    assert 'role="alert"' in visitor.post("/receive/complete", {"draws": "1", "format": "csv"})
    for bad_query in ({}, {"sql": "drop table t"}, {"column.0": "sex", "how.0": "between", "value.0": "a"}):
        assert 'role="alert"' in visitor.post("/receive/count", bad_query)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = [("files", (name, archive.read(name))) for name in archive.namelist()]
    page = visitor.post("/receive", {"how": "files"}, files=files)
    assert "Everything that the certificate claims has been recounted" in page
    page = visitor.post("/receive", {"how": "own"})
    assert "The release that you just published" in page


def test_a_changed_release_is_broken(visitor: Any, folder: Path) -> None:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    changed = vl.publish(data, vl.KAnonymity(k=5)).save(folder / "changed", format="csv")
    (changed / "table.csv").write_text((changed / "table.csv").read_text().replace("Female", "Male"))
    page = visitor.post("/receive", {"how": "path", "path": "changed"})
    assert "Do not use it" in page
    assert "How many people" not in page
    assert "was changed after publishing" in page


def test_a_second_comparison_reuses_finished_trials(visitor: Any) -> None:
    """Finished trials do not run again: a second comparison with one more method has the old times."""
    choose_promise(visitor)
    form = {"attacks.linking.on": "on", "measures.certainty.on": "on", "methods.mondrian.on": "on"}
    seconds = r'<td class="n">(\d+\.\d\d)</td>\s*<td><form'
    (first,) = re.findall(seconds, visitor.post("/compare", form))
    written = {path: path.stat().st_mtime_ns for path in visitor.settings.private.rglob("trial-*.json")}
    assert written
    second = re.findall(seconds, visitor.post("/compare", {**form, "methods.full-domain.on": "on"}))
    assert len(second) == 2
    assert first in second
    assert all(path.stat().st_mtime_ns == time_written for path, time_written in written.items())


def test_work_can_be_cancelled_and_survives_a_reload(visitor: Any) -> None:
    choose_promise(visitor)
    visitor.client.post("/compare", data={"csrf": visitor.csrf(), "measures.query-error.on": "on"} | slow_options())
    assert visitor.client.get("/job").json()["state"] == "running"
    for _ in range(2):  # the page shows the job, even after a reload
        page = visitor.client.get("/compare").text
        assert "Comparing the methods" in page
        assert "<progress" in page
    page = visitor.client.post("/job/cancel", data={"csrf": visitor.csrf(), "back": "/compare"}).text
    assert "cancelled" in page
    assert visitor.client.get("/job").json()["state"] == "cancelled"
    choose_promise(visitor)  # the next work starts a new process
    assert "In plain words" in visitor.client.get("/promise").text


def test_a_running_comparison_shows_its_results_so_far(visitor: Any) -> None:
    choose_promise(visitor)
    visitor.client.post("/compare", data={"csrf": visitor.csrf()})
    deadline = time.monotonic() + 120
    while (job := visitor.client.get("/job").json())["finds"] < 2:  # the loss comes before the attacks
        assert job["state"] == "running"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    part, page = (visitor.client.get(path).text for path in ("/compare/found", "/compare"))
    assert "<html" not in part
    for html in (part, page):
        assert "Results so far" in html
        assert "<svg" in html
        assert "What each column loses" in html
        assert "Look closer" not in html
    visitor.client.post("/job/cancel", data={"csrf": visitor.csrf(), "back": "/compare"})
    assert visitor.client.get("/compare/found").text.strip() == ""


def slow_options() -> dict[str, str]:
    return {"measures.query-error.queries": "500000", "measures.query-error.repetitions": "50"}


def test_two_visitors_do_not_see_each_other(visitor: Any, stranger: Any, settings: Any) -> None:
    choose_promise(visitor)
    stranger.get(f"/?token={settings.token}")
    assert ": at a glance" not in stranger.get("/").text
    assert ": at a glance" in visitor.client.get("/").text


@pytest.mark.parametrize("back", ["/", "/mark", "//evil.example", "https://evil.example"])
def test_cancel_leads_back_only_to_pages_of_the_workbench(visitor: Any, back: str) -> None:
    answer = visitor.client.post("/job/cancel", data={"csrf": visitor.csrf(), "back": back}, follow_redirects=False)
    assert answer.headers["location"] in ("/", "/mark")


def test_a_near_unique_column_is_published_as_it_is_only_if_confirmed(visitor: Any) -> None:
    visitor.post("/", {"how": "path", "path": "patients.csv"})
    roles = {"birth": "other", "sex": "quasi", "zip": "quasi", "disease": "sensitive"}
    page = unescape(visitor.mark(roles))
    assert "396 different values in 400 rows of 'birth'" in page
    assert "birth: “publish it although nearly every row has its own value”" in page
    number = re.search(r'name="(confirmed\.\d+)"[^>]*>', page[page.index(">birth</th>") :])
    assert number
    page = unescape(visitor.mark(roles, **{number[1]: "yes"}))
    assert "different values in 400 rows" not in page
    assert tomllib.loads(visitor.client.get("/publish/spec.toml").text)["schema"]["confirmed"] == ["birth"]
