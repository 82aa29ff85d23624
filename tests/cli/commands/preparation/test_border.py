"""`voile publish` with a table that is prepared at the border, by flags and by spec.toml."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from calling import Voile

ROLES = ("--identifier", "name", "--quasi", "birth_age,sex,zip", "--sensitive", "disease", "--model", "k-anonymity:k=5")
SPEC = """
[schema]
identifier = ["name"]
quasi = ["birth_age", "sex", "zip"]
sensitive = ["disease"]

[prepare]
pseudonym = "name"
ages = { birth = 2026-01-01 }
safe_harbor = { zip = "zip" }

[[policy]]
model = "k-anonymity"
k = 5
"""


@pytest.fixture
def key(voile: Voile) -> Path:
    path = voile.folder / "key.hex"
    path.write_text("ab" * 32)
    return path


def test_flags_on_disk_and_a_spec_in_memory_give_the_same_release(voile: Voile, table: Path, key: Path) -> None:
    (voile.folder / "spec.toml").write_text(SPEC)
    flags = ("--pseudonym", "name", "--age", "birth=2026-01-01", "--safe-harbor", "zip=zip", *ROLES)
    secret = ("--key-file", key, "--pseudonym-file")
    first = voile("publish", table, "--out", "a", *flags, *secret, "a.csv", "--engine", "disk")
    assert first.code == 0, first.err
    second = voile("publish", table, "--out", "b", "--spec", "spec.toml", *secret, "b.csv")
    assert second.code == 0, second.err
    assert (voile.folder / "a.csv").read_text() == (voile.folder / "b.csv").read_text()
    certificates = [json.loads((voile.folder / name / "certificate.json").read_text()) for name in "ab"]
    assert certificates[0]["files"] == certificates[1]["files"]
    assert set(certificates[0]["prepared"]) == {"pseudonyms", "ages", "safe harbor rules"}
    assert "It does not say that the release complies with any law." in first.out
    names = pl.read_csv(voile.folder / "a.csv")["pseudonym"]
    assert names.n_unique() == 400
    assert not any((voile.folder / "a").glob("*pseudonym*"))


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--pseudonym", "name"), "--pseudonym-file"),
        (("--pseudonym", "name", "--pseudonym-file", "p.csv"), "--key-file"),
        (("--pseudonym", "name", "--pseudonym-file", "out/p.csv"), "would lie in the release"),
        (("--pseudonym-file", "p.csv"), "has no effect here"),
        (("--shift-dates", "birth", "--age", "birth=2026-01-01"), "changed twice"),
        (("--safe-harbor", "zip=post"), "no Safe Harbor rule 'post'"),
        (("--age", "birth=2026-01-01", "--shift-days", "3"), "has no effect here"),
        (("--age", "born=2026-01-01"), "no column 'born'"),
        (("--age", "birth=later"), "is no date"),
    ],
)
def test_mistakes_are_named(voile: Voile, table: Path, flags: tuple[str, ...], says: str) -> None:
    answer = voile("publish", table, "--out", "out", *flags, *ROLES)
    assert answer.code != 0
    assert says in answer.err
    assert not (voile.folder / "out").exists()
