"""The border: pseudonyms, shifted dates, ages and dated rules, checked by hand; and what a certificate says of them."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import voile as vl
from voile.errors import DataError, SchemaError, SpecError
from voile.flow.prepare.safe_harbor import CHECKLIST, SMALL_PREFIXES

KEY = vl.Key(bytes(range(32)))


def visits(people: int = 40) -> pl.DataFrame:
    start = datetime.date(2024, 1, 1)
    rows = [
        (
            f"P{person}",
            datetime.date(1930 + person, 3, 1),
            start + datetime.timedelta(person + 9 * stay),
            f"{person:05}",
        )
        for person in range(people)
        for stay in range(2)
    ]
    return pl.DataFrame(rows, schema=["id", "birth", "admitted", "zip"], orient="row")


def test_a_pseudonym_is_an_hmac_under_a_key_for_this_purpose() -> None:
    names = vl.prepare(visits(), pseudonym="id", key=KEY).pseudonyms
    assert names is not None
    subkey = hmac.new(KEY.secret, b"voile pseudonym", hashlib.sha256).digest()
    by_hand = hmac.new(subkey, b"P7", hashlib.sha256).hexdigest()[:32]
    assert dict(names.rows())["P7"] == by_hand
    assert names["pseudonym"].n_unique() == names.height == 40


def test_tables_stay_joinable_under_one_key_and_not_under_two() -> None:
    first = vl.prepare(visits(), pseudonym="id", key=KEY).pseudonyms
    again = vl.prepare(visits(50), pseudonym="id", key=KEY).pseudonyms
    other = vl.prepare(visits(), pseudonym="id", key=vl.Key.fresh()).pseudonyms
    assert first is not None
    assert again is not None
    assert other is not None
    assert set(first.rows()) <= set(again.rows())
    assert not set(first["pseudonym"]) & set(other["pseudonym"])


def test_pseudonyms_are_written_for_their_owner_alone(tmp_path: Path) -> None:
    path = vl.prepare(visits(), pseudonym="id", key=KEY).save_pseudonyms(tmp_path / "pseudonyms.csv")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert pl.read_csv(path).columns == ["id", "pseudonym"]
    with pytest.raises(SpecError, match="exists already"):
        vl.prepare(visits(), pseudonym="id", key=KEY).save_pseudonyms(path)


def test_one_offset_per_person_keeps_intervals() -> None:
    before = visits(200)
    after = vl.prepare(before, shift_dates=["birth", "admitted"], shift_days=30, person="id", key=KEY).frame
    offsets: dict[str, set[int]] = {}
    for old, new in zip(before.rows(named=True), after.rows(named=True), strict=True):
        assert (new["admitted"] - new["birth"]) == (old["admitted"] - old["birth"])
        offsets.setdefault(old["id"], set()).add((new["admitted"] - old["admitted"]).days)
    assert all(len(days) == 1 for days in offsets.values())
    drawn = {days for one in offsets.values() for days in one}
    assert 0 not in drawn
    assert -30 <= min(drawn) < -20
    assert 20 < max(drawn) <= 30


def test_a_placeholder_would_tell_the_offset() -> None:
    dates = [datetime.date(2024, 2, 29), datetime.date(9999, 12, 31), None, datetime.date(2024, 3, 1)]
    frame = pl.DataFrame({"id": ["a", "a", "b", "b"], "left": dates})
    with pytest.raises(DataError, match="1 dates of 'left' are before 1850 or after 2200"):
        vl.prepare(frame, shift_dates=["left"], person="id", key=KEY)
    kept = vl.prepare(frame.filter(pl.col("left") != dates[1]), shift_dates=["left"], person="id", key=KEY)
    assert kept.frame["left"].null_count() == 0


def test_the_file_of_pseudonyms_stays_out_of_a_release(tmp_path: Path) -> None:
    prepared = vl.prepare(visits(), pseudonym="id", key=KEY)
    data = vl.read(prepared, vl.Schema(quasi=["zip"], person="id"))
    folder = vl.publish(data, vl.KAnonymity(k=3)).save(tmp_path / "release")
    (tmp_path / "link").symlink_to(folder)
    for place in (folder, tmp_path / "link"):
        with pytest.raises(SpecError, match="would lie in a release"):
            prepared.save_pseudonyms(place / "names.csv")


def test_dates_beside_shifted_ones_are_named() -> None:
    preparation = vl.prepare(visits(), shift_dates=["admitted"], person="id", key=KEY).preparation
    assert preparation.list_unshifted(["admitted", "birth"]) == ["birth"]
    assert vl.prepare(visits()).preparation.list_unshifted(["birth"]) == []


def test_without_a_person_every_row_is_one_and_a_fresh_key_is_forgotten() -> None:
    frame = visits(100)
    first, second = (vl.prepare(frame, shift_dates=["admitted"]).frame["admitted"] for _ in range(2))
    assert not first.equals(second)


def test_numbers_with_decimals_obey_the_rules_of_safe_harbor() -> None:
    frame = pl.DataFrame({"zip": [3601.0, 90210.0, None, 501.0], "age": [89.0, 89.5, None, 12.0]})
    changed = vl.prepare(frame, safe_harbor={"zip": "zip", "age": "age"}).frame
    assert changed["zip"].to_list() == ["000", "902", None, "005"]
    assert changed["age"].to_list() == [89.0, 90.0, None, 12.0]


@pytest.mark.parametrize(
    ("born", "age"), [("2000-06-15", 25), ("2000-06-16", 24), ("2000-02-29", 25), ("2025-06-15", 0)]
)
def test_ages_are_full_years_at_a_date(born: str, age: int) -> None:
    frame = pl.DataFrame({"x": [1], "birth": [datetime.date.fromisoformat(born)], "y": [2]})
    prepared = vl.prepare(frame, ages={"birth": "2025-06-15"}).frame
    assert prepared.columns == ["x", "birth_age", "y"]
    assert prepared["birth_age"].to_list() == [age]


def test_the_rules_of_safe_harbor() -> None:
    frame = pl.DataFrame(
        {
            "zip": ["03601", "90210", "90210-1234", "9021", "K1A 0B1", None],
            "code": [3601, 90210, 501, 99, 10001, None],
            "age": [89, 90, 104, 3, None, 50],
            "seen": [datetime.date(2024, 5, 6)] * 6,
            "birth": [datetime.date(year, 1, 1) for year in (1920, 1935, 1936, 1937, 2000, 2024)],
        }
    )
    rules = {"zip": "zip", "code": "zip", "age": "age", "seen": "date", "birth": "birth"}
    prepared = vl.prepare(frame, safe_harbor=rules, on="2026-07-01")
    changed = prepared.frame
    assert changed["zip"].to_list() == ["000", "902", "902", "000", "000", None]
    assert changed["code"].to_list() == ["000", "902", "005", "000", "100", None]
    assert changed["age"].to_list() == [89, 90, 90, 3, None, 50]
    assert changed["seen"].to_list() == [2024] * 6
    assert changed["birth"].to_list() == [1936, 1936, 1936, 1937, 2000, 2024]
    checklist = prepared.checklist()
    assert len(checklist) == len(CHECKLIST) == 18
    assert "zip, code" in checklist[1]["status"]
    assert checklist[0]["status"] == "to be checked by a person"


def test_the_guidance_of_2012_is_covered() -> None:
    listed = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
    assert set(listed.split()) <= SMALL_PREFIXES
    assert SMALL_PREFIXES - set(listed.split()) == {"202", "204", "205", "369", "753", "772"}  # the census of 2010


def test_ages_made_here_can_be_capped_here() -> None:
    prepared = vl.prepare(visits(), ages={"birth": "2026-01-01"}, safe_harbor={"birth_age": "age"}).frame
    assert prepared["birth_age"].max() == 90


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"pseudonym": "id"}, SpecError),
        ({"pseudonym": "idd", "key": KEY}, SchemaError),
        ({"shift_dates": ["zip"]}, DataError),
        ({"shift_dates": ["admitted"], "shift_days": 0}, SpecError),
        ({"ages": {"birth": "1940-01-01"}}, DataError),
        ({"ages": {"birth": "soon"}}, SpecError),
        ({"ages": {"twin": "2020-01-01"}}, SpecError),
        ({"ages": {"zip": "2020-01-01"}}, DataError),
        ({"safe_harbor": {"zip": "postcode"}}, SpecError),
        ({"safe_harbor": {"birth": "birth"}}, SpecError),
        ({"safe_harbor": {"id": "age"}}, DataError),
        ({"safe_harbor": {"zip": "zip"}, "on": "2020-01-01"}, SpecError),
        ({"shift_dates": ["birth"], "ages": {"birth": "2020-01-01"}}, SpecError),
    ],
)
def test_wrong_requests_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        vl.prepare(visits().with_columns(pl.col("birth").alias("twin"), twin_age=1), **options)


def test_a_certificate_says_that_pseudonyms_are_no_anonymity(tmp_path: Path) -> None:
    prepared = vl.prepare(visits(), pseudonym="id", key=KEY, shift_dates=["admitted"], person="id")
    data = vl.read(prepared, vl.Schema(quasi=["zip"], other=["admitted"], person="id"))
    release = vl.publish(data, vl.KAnonymity(k=3))
    folder = release.save(tmp_path / "release")
    certificate = json.loads((folder / "certificate.json").read_text())
    assert "Pseudonyms are not anonymity" in certificate["prepared"]["pseudonyms"]
    assert list(certificate["prepared"]) == ["pseudonyms", "shifted dates"]
    verdict = vl.verify(folder)
    assert verdict.holds or not verdict.broken
    assert any("Pseudonyms are not anonymity" in note for note in verdict.notes)
    published = "".join(str(table) for table in release.tables.values()) + json.dumps(dict(release.dictionary))
    assert not any(name in published for name in prepared.pseudonyms["pseudonym"])  # type: ignore[index]


def test_a_forged_statement_is_refused(tmp_path: Path) -> None:
    data = vl.read(vl.prepare(visits(), ages={"birth": "2026-01-01"}), vl.Schema(quasi=["zip", "birth_age"]))
    folder = vl.publish(data, vl.KAnonymity(k=3)).save(tmp_path / "release")
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text())
    for forged in ({"ages": "This release complies with the law."}, {"magic": "x"}, ["ages"]):
        path.write_text(json.dumps({**certificate, "prepared": forged}))
        assert vl.verify(folder).broken


NAN, INF = float("nan"), float("inf")


def test_nan_is_no_age_over_89() -> None:
    frame = pl.DataFrame({"age": [34.0, NAN, None, 95.0]})
    assert vl.prepare(frame, safe_harbor={"age": "age"}).frame["age"].to_list() == [34.0, None, None, 90.0]


@pytest.mark.parametrize("ages", [[34, 999], [34, -9], [34.0, INF], [34.0, -INF]])
def test_ages_that_nobody_has_are_refused(ages: list[float]) -> None:
    with pytest.raises(DataError, match="1 ages of 'age' are below 0 or above 130"):
        vl.prepare(pl.DataFrame({"age": ages}), safe_harbor={"age": "age"})


def test_births_that_stand_for_something_else_are_refused() -> None:
    frame = pl.DataFrame({"birth": [datetime.date(1, 1, 1), datetime.date(1950, 1, 1)]})
    with pytest.raises(DataError, match="1 ages of 'birth_age'"):
        vl.prepare(frame, ages={"birth": "2026-01-01"})


def test_a_whole_number_is_the_same_person_beside_missing_cells() -> None:
    tables = [pl.DataFrame({"id": ids}) for ids in ([7, 8, 9], [7.0, None, NAN], ["7", "8", "x"])]
    whole, decimal, text = (vl.prepare(table, pseudonym="id", key=KEY).pseudonyms for table in tables)
    assert whole is not None
    assert decimal is not None
    assert text is not None
    assert decimal.rows() == whole.rows()[:1] == text.rows()[:1]
    dates = [pl.DataFrame({"id": ids, "seen": [datetime.date(2025, 1, 1)] * 2}) for ids in ([7, 8], [7.0, 8.5])]
    first, second = (vl.prepare(table, shift_dates=["seen"], person="id", key=KEY).frame["seen"] for table in dates)
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_nan_is_nobody() -> None:
    frame = pl.DataFrame({"id": [7.0, NAN], "seen": [datetime.date(2025, 1, 1)] * 2})
    with pytest.raises(DataError, match="do not say whose they are"):
        vl.prepare(frame, shift_dates=["seen"], person="id")


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["90210", "03601"])])
def test_kinds_of_text_and_empty_tables_obey_the_rules(dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"zip": pl.Series(["90210", "03601", None], dtype=dtype), "age": [1, 2, 3]})
    for rows in (3, 0):
        changed = vl.prepare(frame.head(rows), safe_harbor={"zip": "zip", "age": "age"}).frame
        assert changed["zip"].to_list() == ["902", "000", None][:rows]
        assert changed["age"].to_list() == [1, 2, 3][:rows]
