"""The guide for recipients: it comes from the folder alone, explains every shape, and what it says to run runs."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from published import EXAMPLES, KEY, people, schema
from report_examples import Page

import voile as vl
from voile.errors import BrokenPromise, DataError, SpecError

SHAPES = ("mondrian", "anatomy", "decompose", "perturbed-generalization", "republish")


def publish(name: str, place: Path) -> Path:
    policy, method = EXAMPLES[name]
    return vl.publish(vl.read(people(), schema()), policy, method, key=KEY).save(place)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_explained_and_its_examples_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = publish(name, tmp_path / "my release")
    release, guide = vl.load(place), vl.guide(place)
    text = re.sub(r"\s+", " ", Page(guide.html).text)
    for claim in release.certificate.claims:
        assert re.sub(r"\s+", " ", str(claim["promise"])) in text
    for table in release.tables.values():
        assert all(column in text for column in table.columns)
    assert ("everyone in it is recognisable" in text) != release.shows_boxes
    assert all(words in text for words in (*release.description.computable, *release.description.not_computable))
    examples = guide.examples
    assert shlex.split(examples.verify) == ["voile", "verify", "my release"]
    _, verb, folder, sql = shlex.split(examples.query)
    assert (verb, folder) == ("query", "my release")
    assert release.query(sql).rows
    monkeypatch.chdir(tmp_path)
    exec(examples.python.replace("complete(20)", "complete(2)"), {})
    assert "certainly" in (printed := capsys.readouterr().out) or "exactly" in printed


def test_it_reads_nothing_but_the_release(tmp_path: Path) -> None:
    place = publish("mondrian", tmp_path / "out")
    alone = vl.guide(place).html
    people().write_csv(place / "people.csv")
    (tmp_path / "report.html").write_text("secret")
    assert vl.guide(place).html == alone
    cells = set(re.findall(r"<code>(.*?)</code>", alone))
    table = vl.load(place).to_polars()
    published = {str(cell) for name in table.columns for cell in table[name].unique()}
    assert {unescape(cell) for cell in cells} - published <= {"out", "voile serve", "--signer", "_draw", "vl.pool", "*"}
    assert "<script" not in alone


def test_a_broken_folder_gets_none(tmp_path: Path) -> None:
    place = publish("mondrian", tmp_path / "out")
    (place / "table.parquet").write_bytes(b"PAR1")
    for make in (vl.guide, vl.pack):
        with pytest.raises(BrokenPromise):
            make(place)
    assert not (tmp_path / "out.zip").exists()


def test_it_is_saved_beside_the_folder(tmp_path: Path) -> None:
    guide = vl.guide(publish("mondrian", tmp_path / "out"))
    assert guide.save(tmp_path / "READ_ME.html").read_text() == guide.html
    assert guide.as_json()["examples"]["verify"] == "voile verify out"
    wrong: list[tuple[Path, Any]] = [(tmp_path / "READ_ME.txt", SpecError), (tmp_path / "out" / "a.html", DataError)]
    for path, error in wrong:
        with pytest.raises(error):
            guide.save(path)
