"""A release cannot be changed unnoticed: cells, rows, counts and claims."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_requests import KEY, save_temporarily

import voile as vl
from voile.errors import BrokenPromise, DataError
from voile.models.policy import make_claim


def hospital(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, 30),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], 30),
            "disease": rng.permutation(np.resize(["flu", "HIV", "acne", "gout"], 30)),
        }
    )


SCHEMA = vl.Schema(quasi=["age", "city"], sensitive=["disease"])


SHAPES = {
    "boxes": (vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2)), vl.Mondrian()),
    "buckets": (vl.Policy(vl.LDiversity(l=3)), vl.Anatomy()),
}


def rewrite(folder: Path, name: str, change: Callable[[list[list[str]]], None], resign: bool) -> None:
    """Change a CSV of the folder; a clever tamperer writes its new digest into the certificate."""
    path = folder / name
    with path.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle))
    change(rows)
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows(rows)
    if resign:
        certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
        certificate["files"][name] = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")


def keeps(folder: Path, k: int = 0, l: int = 0) -> bool:  # noqa: E741 - the letter of the literature
    """Recount the folder by hand: does every group keep k rows and l-diversity?"""
    groups: dict[Any, Counter[str]] = {}
    if (folder / "table.csv").exists():
        with (folder / "table.csv").open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                groups.setdefault((row["age"], row["city"]), Counter())[row["disease"]] += 1
    else:
        with (folder / "sensitive.csv").open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                groups.setdefault(row["group"], Counter())[row["disease"]] += int(row["count"])
        with (folder / "quasi.csv").open(encoding="utf-8", newline="") as handle:
            sizes = Counter(row["group"] for row in csv.DictReader(handle))
        if sizes != {group: values.total() for group, values in groups.items()}:
            return False
    return all(
        oracle.k_anonymous([*values.values()], k) and (l == 0 or oracle.frequency_diverse([*values.values()], l))
        for values in groups.values()
    )


@settings(max_examples=60)
@given(st.integers(0, 9), st.sampled_from(sorted(SHAPES)), st.integers(0, 2**32), st.booleans())
def test_a_changed_cell_is_noticed(seed: int, shape: str, coin: int, resign: bool) -> None:
    policy, method = SHAPES[shape]
    rng = np.random.default_rng(coin)
    release = vl.publish(vl.read(hospital(seed), SCHEMA), policy, method, key=KEY)
    with save_temporarily(release, "csv") as folder:
        assert keeps(folder, 3 if shape == "boxes" else 0, 2 if shape == "boxes" else 3)
        name = str(rng.choice(sorted(path.name for path in folder.glob("*.csv"))))

        def change(rows: list[list[str]]) -> None:
            row, column = int(rng.integers(1, len(rows))), int(rng.integers(0, len(rows[0])))
            others = sorted({line[column] for line in rows[1:]} - {rows[row][column]})
            numeric = rows[0][column] in ("group", "count")
            rows[row][column] = str(rng.choice(others)) if others else "2" if numeric else "Rome"

        rewrite(folder, name, change, resign)
        verdict = vl.verify(folder)
        if not resign:
            assert verdict.broken
            assert name in str(verdict)
            with pytest.raises(BrokenPromise):
                verdict.or_raise()
        elif not keeps(folder, 3 if shape == "boxes" else 0, 2 if shape == "boxes" else 3):
            assert verdict.broken, "the claim no longer holds, and nobody noticed"


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("what", ["drop", "double", "swap"])
def test_changed_rows_are_noticed(shape: str, what: str) -> None:
    policy, method = SHAPES[shape]
    release = vl.publish(vl.read(hospital(1), SCHEMA), policy, method, key=KEY)
    for number in range(1, 6):
        with save_temporarily(release, "csv") as folder:
            name = sorted(path.name for path in folder.glob("*.csv"))[-1]

            def change(rows: list[list[str]], number: int = number) -> None:
                if what == "swap":
                    rows[number], rows[-number] = rows[-number], rows[number]
                elif what == "double":
                    rows.insert(number, list(rows[number]))
                else:
                    del rows[number]

            rewrite(folder, name, change, resign=False)
            assert vl.verify(folder).broken
        with save_temporarily(release, "csv") as folder:
            rewrite(folder, name, change, resign=True)
            if not keeps(folder, 3 if shape == "boxes" else 0, 2 if shape == "boxes" else 3):
                assert vl.verify(folder).broken


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_every_count_is_recounted(shape: str) -> None:
    """A tamperer who signs anew cannot hide one more or one less in any group of any table with counts."""
    policy, method = SHAPES[shape]
    release = vl.publish(vl.read(hospital(2), SCHEMA), policy, method, key=KEY)
    if shape == "boxes":
        assert "count" not in release.tables["table"].columns
        return
    for number in range(1, release.tables["sensitive"].height + 1, 3):
        for step in (-1, 1):
            with save_temporarily(release, "csv") as folder:

                def change(rows: list[list[str]], number: int = number, step: int = step) -> None:
                    rows[number][2] = str(int(rows[number][2]) + step)

                rewrite(folder, "sensitive.csv", change, resign=True)
                assert vl.verify(folder).broken


PARTS = {
    "model": "t-closeness",
    "column": "city",
    "limits": "gain",
    "bound": "1/99",
    "basis": "process",
    "promise": "Nobody will ever know.",
    "adversary": {"name": "nobody", "knows": [], "excludes": 0},
    "parameters": {"k": 2},
}


@pytest.mark.parametrize("part", sorted(PARTS))
@pytest.mark.parametrize("number", [0, 1])
def test_a_changed_claim_is_noticed(part: str, number: int) -> None:
    policy, method = SHAPES["boxes"]
    release = vl.publish(vl.read(hospital(3), SCHEMA), policy, method, key=KEY)
    for remove in (False, True):
        with save_temporarily(release, "parquet") as folder:
            path = folder / "certificate.json"
            certificate = json.loads(path.read_text(encoding="utf-8"))
            if remove:
                del certificate["claims"][number][part]
            else:
                certificate["claims"][number][part] = PARTS[part]
            path.write_text(json.dumps(certificate), encoding="utf-8")
            assert noticed(folder)


def noticed(folder: Path) -> bool:
    """A false claim is BROKEN; a document that cannot be understood is refused."""
    try:
        return vl.verify(folder).broken
    except DataError as error:
        return error.code == "data.document"


@settings(max_examples=30)
@given(st.integers(0, 9), st.integers(2, 8), st.integers(2, 4))
def test_a_stronger_claim_is_believed_only_if_it_is_true(seed: int, k: int, l: int) -> None:  # noqa: E741
    """A tamperer who writes a whole, consistent claim gets it judged on its merits."""
    policy, method = SHAPES["boxes"]
    data = vl.read(hospital(seed), SCHEMA)
    release = vl.publish(data, policy, method, key=KEY)
    with save_temporarily(release, "csv") as folder:
        path = folder / "certificate.json"
        certificate = json.loads(path.read_text(encoding="utf-8"))
        known = [column.name for column in data.columns.quasi]
        stated = [
            make_claim(vl.KAnonymity(k=k), None, known),
            make_claim(vl.LDiversity(l=l), data.columns["disease"], known),
        ]
        certificate["claims"] = [one.as_json() for one in stated]
        path.write_text(json.dumps(certificate), encoding="utf-8")
        assert vl.verify(folder).holds == keeps(folder, k, l)


def test_the_bound_of_a_claim_is_what_attacks_reach() -> None:
    """The three sides of the rule meet: what is promised, what is believed, what is recounted."""
    for seed in range(5):
        data = vl.read(hospital(seed), SCHEMA)
        for policy, method in SHAPES.values():
            release = vl.publish(data, policy, method, key=KEY)
            found = vl.audit(release, data)
            assert found.passed
            inside = [finding for finding in found.findings if finding.inside]
            assert inside
            for finding in inside:
                assert Fraction(finding.belief.worst).limit_denominator(1000) <= finding.bound
