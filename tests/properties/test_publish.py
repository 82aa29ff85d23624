"""Whatever the table, the policy and the method: publish refuses with a reason, or what it publishes is true, verifies
from the folder alone, tells no order of the input, and cannot be changed unnoticed.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import voile as vl
from voile.errors import BrokenPromise, DataError, VoileError
from voile.models.policy import make_claim
from voile.releases.release import Release
from voile.releases.shapes.bucketized import Bucketized
from voile.releases.shapes.decomposed import Decomposed
from voile.releases.shapes.generalized import Generalized

KEY = vl.Key(bytes(range(32)))
# words that look like what voile writes itself, and words that CSV finds hard
WORDS = [
    "a",
    "b",
    "*",
    "{x|y}",
    "x",
    "y",
    "\\z",
    "z",
    "",
    " pad ",
    "a, b",
    "[1, 2]",
    'say "hi"',
    "two\nlines",
    "true",
    "7",
]
DAYS = [datetime.date(2020, 2, 28) + datetime.timedelta(step) for step in (0, 1, 2, 40, 400, 4000)]
MOMENTS = [datetime.datetime(2021, 3, 4, 5, 6) + datetime.timedelta(seconds=step) for step in (0, 1, 0.25, 9e4, 9e7)]
CLOCK = [datetime.time(7, 30), datetime.time(7, 30, 1), datetime.time(23, 59, 59, 250_000)]
NUMBERS: dict[str, Callable[[np.random.Generator, int], list[Any]]] = {
    "whole": lambda rng, rows: rng.integers(-5, 30, rows).tolist(),
    "wide": lambda rng, rows: (rng.integers(0, 7, rows) * 10**12).tolist(),
    "real": lambda rng, rows: (rng.integers(-8, 8, rows) / 7).tolist(),
    "tiny": lambda rng, rows: (rng.integers(0, 5, rows) * 1e-9).tolist(),
}


def cells(draw: st.DrawFn, rng: np.random.Generator, rows: int, sensitive: bool) -> tuple[list[Any], str | None]:
    """The cells of a column, and its kind where the schema names one."""
    sort = draw(
        st.sampled_from(["word", "word", "few", "ordered", "whole", "date", "moment", "clock", *NUMBERS, "bool"])
    )
    if sort in NUMBERS:
        return NUMBERS[sort](rng, rows), draw(st.sampled_from([None, None, "ordered"]))
    pools = {"date": DAYS, "moment": MOMENTS, "clock": CLOCK}
    if sort in pools:
        return [pools[sort][i] for i in rng.integers(0, len(pools[sort]), rows)], draw(
            st.sampled_from([None, "ordered"])
        )
    if sort == "bool":
        return rng.random(rows).__gt__(0.4).tolist(), None
    pool = WORDS if sort == "word" else WORDS[:4]
    share = rng.dirichlet(np.full(len(pool), 3.0 if sensitive else 0.7))
    return [pool[i] for i in rng.choice(len(pool), rows, p=share)], "ordered" if sort == "ordered" else None


def tree(rng: np.random.Generator, values: list[Any]) -> dict[str, dict[str, list[Any]]]:
    """A hierarchy of two inner levels whose labels may be anything, also a value or a sign that voile writes itself."""
    inner, outer = rng.permutation([*WORDS, "3", "-1"])[:5].tolist(), rng.permutation(WORDS)[:2].tolist()
    found: dict[str, dict[str, list[Any]]] = {}
    for value in values:
        node = int(rng.integers(0, len(inner)))
        found.setdefault(outer[node % 2], {}).setdefault(inner[node], []).append(value)
    return found


@st.composite
def tables(draw: st.DrawFn, sensitive: tuple[int, int] = (0, 2)) -> tuple[pl.DataFrame, vl.Schema]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([1, 2, 5, 12, 25, 40]))
    absent = draw(st.sampled_from([0.0, 0.0, 0.15]))
    roles = {
        "quasi": draw(st.integers(1, 3)),
        "sensitive": draw(st.integers(*sensitive)),
        "other": draw(st.integers(0, 1)),
    }
    frame: dict[str, list[Any]] = {}
    named: dict[str, list[str]] = {role: [] for role in roles}
    kinds: dict[str, str] = {}
    for role, number in roles.items():
        for place in range(number):
            name = f"{role} {place}"
            values, kind = cells(draw, rng, rows, role == "sensitive")
            frame[name] = [None if rng.random() < absent else value for value in values]
            named[role].append(name)
            if kind:
                kinds[name] = kind
    trees: dict[str, Any] = {}
    for name in (*named["quasi"], *named["sensitive"]):
        wanted = draw(st.sampled_from(["", "auto", "tree"]))
        if wanted:
            present = sorted({value for value in frame[name] if value is not None})
            trees[name] = tree(rng, present) if wanted == "tree" and present else "auto"
    table = pl.DataFrame(frame, strict=False)
    return table, vl.Schema(**named, kinds=kinds, hierarchies=trees, missing=draw(st.sampled_from(["value", "drop"])))


GROUNDS = ["equal", "ordered", "hierarchical"]
DIVERSE = st.one_of(
    st.builds(vl.LDiversity, l=st.integers(2, 3), form=st.sampled_from(["frequency", "distinct", "entropy"])),
    st.builds(vl.LDiversity, l=st.integers(2, 3), form=st.just("recursive"), c=st.sampled_from([0.7, 1, 2.5])),
)
MODELS = st.one_of(
    st.builds(vl.KAnonymity, k=st.integers(2, 6)),
    DIVERSE,
    st.builds(vl.TCloseness, t=st.sampled_from([0.1, 0.3, 0.5, 0.8]), distance=st.sampled_from(GROUNDS)),
    st.builds(vl.AlphaK, alpha=st.sampled_from([0.4, 0.6, 1]), k=st.integers(2, 4)),
    st.builds(vl.KE, k=st.just(2), e=st.sampled_from([0, 1.5, 5])),
)
METHODS = st.one_of(
    st.builds(vl.Mondrian, recoding=st.sampled_from(["tight", "hierarchy"])),
    st.builds(vl.FullDomain, suppression=st.sampled_from([0, 0.1, 0.5])),
)


def policies(models: st.SearchStrategy[Any]) -> st.SearchStrategy[vl.Policy]:
    return st.lists(models, min_size=1, max_size=2).map(lambda chosen: vl.Policy(*chosen))


LINKED = st.sampled_from([vl.Anatomy(), vl.Injector(), vl.Injector(min_exp=0.2, max_items=1, intervals=3)])
DECOMPOSE = st.builds(
    vl.Decompose,
    noise=st.sampled_from(["symmetric", "symmetric", "paper"]),
    publish_joint=st.booleans(),
    on_fail=st.sampled_from([None, "lower"]),
)
# one in five requests is for linked tables, which serve one sensitive column and l-diversity only; one for Decompose
REQUESTS = st.one_of(
    *[st.tuples(tables(), policies(MODELS), METHODS)] * 3,
    st.tuples(tables((1, 1)), policies(DIVERSE), LINKED),
    st.tuples(tables((1, 3)), policies(st.builds(vl.MultiDiversity, otherwise=st.integers(1, 3))), DECOMPOSE),
)


def published(frame: Any, schema: vl.Schema, policy: vl.Policy, method: Any) -> Release | None:
    """The release, or None where voile refuses; a promise that voile breaks itself is no refusal."""
    try:
        return vl.publish(vl.read(frame, schema), policy, method, key=KEY)
    except BrokenPromise:
        raise
    except VoileError as error:
        return None if error.code and str(error) else pytest.fail("an error without a code or a message")


def same(one: Release, other: Release) -> bool:
    """Equal as a reader sees it: a time read from CSV is text, with its seconds written out."""
    return one.tables.keys() == other.tables.keys() and all(
        one.tables[name].columns == other.tables[name].columns and shown(one.tables[name]) == shown(other.tables[name])
        for name in one.tables
    )


def shown(table: pl.DataFrame) -> list[list[str | None]]:
    texts = [table[name].cast(pl.String).to_list() for name in table.columns]
    return [[value and re.sub(r"(\d)T(\d)|\.0+$", r"\1 \2", value).strip() for value in column] for column in texts]


@contextmanager
def saved(release: Release, format: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield release.save(Path(place) / "release", format=format)


@settings(max_examples=150)
@given(REQUESTS)
def test_a_release_is_true_and_verifies(request: Any) -> None:
    (frame, schema), policy, method = request
    release = published(frame, schema, policy, method)
    assume(release is not None)
    assert release is not None
    assert vl.verify(release).holds
    kept = frame.drop_nulls([*schema.quasi, *schema.sensitive]) if schema.missing == "drop" else frame
    assert release.people + release.dictionary["withheld"] == kept.height
    check_truth(release, kept)
    for format in ("parquet", "csv"):
        with saved(release, format) as folder:
            verdict = vl.verify(folder)
            assert verdict.holds, f"{format}: {verdict}"
            loaded = vl.load(folder)
            assert same(release, loaded)
            check_answers(release, loaded, kept)
            assert KEY.secret not in b"".join(path.read_bytes() for path in folder.iterdir())


TYPES: dict[str, list[Any]] = {
    "bool": [True, False],
    "date": DAYS[:2],
    "datetime": MOMENTS[1:3],
    "time": CLOCK[1:],
    "int": [-7, 10**15],
    "float": [0.1, 1e-12],
    "text": ["", "null"],
    "missing": ["a", None],
}


@pytest.mark.parametrize("kind", [None, "ordered"])
@pytest.mark.parametrize("sort", sorted(TYPES))
def test_every_type_survives_both_formats(sort: str, kind: str | None) -> None:
    values = [value for value in TYPES[sort] for _ in range(3)]
    frame = pl.DataFrame({"age": [1, 2, 3] * 2, "value": values, "note": values})
    kinds = {"value": kind, "note": kind} if kind else {}
    schema = vl.Schema(quasi=["age"], sensitive=["value"], other=["note"], kinds=kinds, missing="value")
    for method in (vl.Mondrian(), vl.Anatomy()):
        release = vl.publish(vl.read(frame, schema), vl.LDiversity(l=2), method)
        for format in ("parquet", "csv"):
            with saved(release, format) as folder:
                assert vl.verify(folder).holds, format
                loaded = vl.load(folder)
                assert same(release, loaded)
                for name in ("value", "note"):
                    for value in TYPES[sort]:
                        if value is not None:
                            assert loaded.estimate({name: value}) == pytest.approx(3), (format, name, value)


def check_answers(release: Release, loaded: Release, frame: pl.DataFrame) -> None:
    """The same COUNT queries have the same answers, from memory and from the folder."""
    for entry in release.dictionary["columns"]:
        name = str(entry["name"])
        values = frame[name].drop_nulls().unique().sort().to_list()
        if values:
            wanted: list[Any] = [values[0], values[-2:]]
            wanted += [(values[0], values[len(values) // 2])] if entry["kind"] in ("numeric", "date") else []
            for one in wanted:
                assert release.estimate({name: one}) == pytest.approx(loaded.estimate({name: one})), (name, one)


def check_truth(release: Release, frame: pl.DataFrame) -> None:
    """Every published row is a person's: their values lie in its cells, and no person stands for two rows."""
    exact = [str(entry["name"]) for role in ("sensitive", "other") for entry in release.described(role)]
    quasi = {str(entry["name"]): entry for entry in release.described("quasi")}
    people = frame.to_dicts()
    if isinstance(release, Bucketized):
        check_buckets(release, people, list(quasi), exact)
        return
    if isinstance(release, Decomposed):
        check_lists(release, people, list(quasi))
        return
    assert isinstance(release, Generalized)
    rows = release.tables["table"].to_dicts()
    values = {name: frame[name].unique().to_list() for name in quasi}
    inside = {
        (name, row[name]): oracle.stands_for(row[name], entry, values[name])
        for row in rows
        for name, entry in quasi.items()
    }
    fits = np.array(
        [
            [
                all(oracle.text(row[name]) == oracle.text(person[name]) for name in exact)
                and all(person[name] in inside[name, row[name]] for name in quasi)
                for person in people
            ]
            for row in rows
        ]
    )
    row, person = linear_sum_assignment(~fits)
    assert fits[row, person].all(), "a published row is nobody's"
    told = Counter(tuple(oracle.text(row[name]) for name in exact) for row in rows)
    whole = Counter(tuple(oracle.text(person[name]) for name in exact) for person in people)
    assert told <= whole
    assert (whole - told).total() == release.dictionary["withheld"]
    boxes = Counter(tuple(oracle.text(row[name]) for name in quasi) for row in rows)
    assert sorted(boxes.values()) == sorted(release.sizes.tolist())


def check_buckets(release: Bucketized, people: list[dict[str, Any]], quasi: list[str], exact: list[str]) -> None:
    told = release.tables["quasi"].to_dicts()
    shown = [name for name in told[0] if name != "group"]
    rows = Counter(tuple(row[name] for name in shown) for row in told)
    assert rows <= Counter(tuple(person[name] for name in shown) for person in people)
    assert rows.total() + release.dictionary["withheld"] == len(people)
    sensitive = exact[0]
    values: Counter[Any] = Counter()
    sizes: Counter[int] = Counter()
    for row in release.tables["sensitive"].to_dicts():
        values[row[sensitive]] += row["count"]
        sizes[row["group"]] += row["count"]
    assert values <= Counter(person[sensitive] for person in people)
    assert sizes == Counter(row["group"] for row in told)


def check_lists(release: Decomposed, people: list[dict[str, Any]], quasi: list[str]) -> None:
    """Everybody is in the quasi table, everybody's primary value is listed once, every other value at least once."""
    told = release.tables["quasi"].to_dicts()
    shown = [name for name in told[0] if name != "group"]
    assert Counter(tuple(row[name] for name in shown) for row in told) == Counter(
        tuple(person[name] for name in shown) for person in people
    )
    primary, *others = release.sensitive_names
    listed = release.tables[f"sensitive_{primary}"]
    assert Counter(listed[primary].to_list()) == Counter(person[primary] for person in people)
    assert Counter(listed["group"].to_list()) == Counter(row["group"] for row in told)
    for name in others:
        values = release.tables[f"sensitive_{name}"]
        assert not values.is_duplicated().any()
        assert {person[name] for person in people} <= set(values[name].to_list())
    if "joint" in release.tables:
        rows = release.tables["joint"].to_dicts()
        names = release.sensitive_names
        both = [Counter(tuple(row[name] for name in names) for row in table) for table in (rows, people)]
        assert both[0] == both[1]


@settings(max_examples=50)
@given(REQUESTS, st.integers(0, 2**16))
def test_no_order_of_the_input_survives(request: Any, seed: int) -> None:
    (frame, schema), policy, method = request
    release = published(frame, schema, policy, method)
    moved = published(frame.sample(fraction=1.0, shuffle=True, seed=seed), schema, policy, method)
    assert (release is None) == (moved is None)
    if release is None or moved is None:
        return
    assert same(release, moved)
    assert release.dictionary == moved.dictionary
    again = published(frame, schema, policy, method)
    assert again is not None
    assert same(release, again)
    for format in ("parquet", "csv"):
        with saved(release, format) as one, saved(moved, format) as other:
            for path in one.iterdir():
                assert path.read_bytes() == (other / path.name).read_bytes(), path.name


@settings(max_examples=25)
@given(
    st.integers(0, 2**32), st.sampled_from([vl.Mondrian(), vl.FullDomain(suppression=0.1), vl.Anatomy(), vl.Injector()])
)
def test_a_pandas_index_is_no_data(seed: int, method: Any) -> None:
    """Other tools take row labels for positions: here a shuffled, repeated or filtered index changes nothing."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 40, 60),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], 60),
            "disease": rng.choice(["flu", "HIV", "acne", "gout", "cold"], 60),
        }
    )
    schema = vl.Schema(quasi=["age", "city"], sensitive=["disease"])
    policy = vl.Policy(vl.LDiversity(l=2))
    expected = published(frame, schema, policy, method)
    young = published(frame.filter(pl.col("age") < 32), schema, policy, method)
    labelled = frame.to_pandas()
    labelled.index = rng.integers(0, 5, 60)
    shuffled = frame.to_pandas().sample(frac=1.0, random_state=seed % 1000)
    filtered = shuffled[shuffled["age"] < 32]
    for table, wanted in ((labelled, expected), (shuffled, expected), (filtered, young)):
        found = published(table, schema, policy, method)
        assert (found is None) == (wanted is None)
        if found is not None and wanted is not None:
            assert same(found, wanted)


# tampering ----------------------------------------------------------------------------------------------------------
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
    with saved(release, "csv") as folder:
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
        with saved(release, "csv") as folder:
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
        with saved(release, "csv") as folder:
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
            with saved(release, "csv") as folder:

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
        with saved(release, "parquet") as folder:
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
    with saved(release, "csv") as folder:
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
