"""The made tables keep what they promise, and Adult is read in every shape people have it in."""

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from voile.datasets import adult, census, hospital
from voile.datasets._sampling import alias_table, draw
from voile.errors import DataError

DOMAINS = {
    "age": 74,
    "gender": 2,
    "education": 17,
    "birthplace": 57,
    "occupation": 50,
    "race": 9,
    "work-class": 8,
    "marital-status": 6,
    "income": 50,
}
LINE = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, {}"
KNOWN = LINE.format("United-States, <=50K")
UNKNOWN = LINE.format("?, >50K")
NINE = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return census(700_000)


def information(table: pl.DataFrame, left: str, right: str) -> float:
    """Mutual information of two columns, in nats."""
    joint = table.group_by(left, right).len("both")
    joint = joint.join(table.group_by(left).len("one"), on=left).join(table.group_by(right).len("other"), on=right)
    both = joint["both"] / table.height
    return float((both * (both / (joint["one"] / table.height) / (joint["other"] / table.height)).log()).sum())


def test_alias_table_draws_each_cell_from_its_own_weights() -> None:
    weights = np.array([[1.0, 0.0, 3.0, 4.0], [2.0, 5.0, 2.0, 1.0]])
    cell = np.repeat(np.arange(2), 200_000)
    codes = draw(np.random.Generator(np.random.PCG64(1)), alias_table(weights), cell)
    seen = np.array([np.bincount(codes[cell == c], minlength=4) for c in range(2)]) / 200_000
    assert seen[0, 1] == 0
    assert np.allclose(seen, weights / weights.sum(axis=1, keepdims=True), atol=0.006)


def test_census_has_the_nine_columns_and_every_category(people: pl.DataFrame) -> None:
    assert people.shape == (700_000, 9)
    assert {name: people[name].n_unique() for name in people.columns} == DOMAINS
    assert people.columns == list(DOMAINS)
    assert sum(people.null_count().row(0)) == 0


def test_census_types_and_ranges(people: pl.DataFrame) -> None:
    for name, size in DOMAINS.items():
        dtype = people.schema[name]
        if name in ("age", "income"):
            assert dtype == pl.Int64
            continue
        assert isinstance(dtype, pl.Enum)
        categories = dtype.categories.to_list()
        assert categories == sorted(categories)
        assert len(categories) == size
    assert (people["age"].min(), people["age"].max()) == (17, 90)
    assert (people["income"].min(), people["income"].max()) == (0, 49)


@pytest.mark.parametrize("name", ["occupation", "income"])
def test_census_allows_ten_diversity(people: pl.DataFrame, name: str) -> None:
    assert people[name].value_counts()["count"].max() <= 0.09 * people.height  # type: ignore[operator]


def test_census_is_skewed(people: pl.DataFrame) -> None:
    counts = people["birthplace"].value_counts(sort=True)["count"]
    assert counts[0] > 100 * counts[-1]
    assert counts.head(27).sum() > 0.8 * people.height


@pytest.mark.parametrize(
    ("left", "right", "least"),
    [
        ("age", "education", 0.02),
        ("birthplace", "education", 0.01),
        ("age", "marital-status", 0.1),
        ("gender", "marital-status", 0.001),
        ("education", "occupation", 0.1),
        ("gender", "occupation", 0.05),
        ("occupation", "work-class", 0.1),
        ("birthplace", "race", 0.05),
        ("education", "income", 0.05),
        ("occupation", "income", 0.05),
        ("age", "income", 0.02),
        ("gender", "income", 0.005),
    ],
)
def test_census_columns_depend_on_each_other(people: pl.DataFrame, left: str, right: str, least: float) -> None:
    assert information(people, left, right) > least


def test_census_income_rises_with_schooling(people: pl.DataFrame) -> None:
    levels = ["No schooling", "Grade 9", "High school diploma", "Associate degree", "Bachelor degree", "Master degree"]
    means = [people.filter(pl.col("education") == level)["income"].mean() for level in [*levels, "Doctorate"]]
    assert means == sorted(means)  # type: ignore[type-var]
    assert len(set(means)) == len(means)


def test_census_income_rises_and_falls_with_age(people: pl.DataFrame) -> None:
    young, grown, old = (people.filter(pl.col("age").is_between(a, a + 5))["income"].mean() for a in (20, 47, 80))
    assert young < grown > old  # type: ignore[operator]


def test_census_nobody_holds_a_degree_too_early(people: pl.DataFrame) -> None:
    first = people.group_by(pl.col("education").cast(pl.String)).agg(pl.col("age").min()).rows()
    ages = dict(first)
    assert ages["High school diploma"] >= 18
    assert ages["Bachelor degree"] >= 22
    assert ages["Doctorate"] >= 26


def test_census_income_depends_on_the_other_columns_as_in_adult(people: pl.DataFrame) -> None:
    """Boosting lowers the error of always guessing "below 50,000 dollars" by about a third (UCI Adult: 34 %)."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    part = people.head(60_000)
    table = part.drop("income").with_columns(pl.all().to_physical().cast(pl.Float64)).to_numpy()
    rich = (part["income"] >= 25).to_numpy()
    boosting = ensemble.HistGradientBoostingClassifier(categorical_features=range(1, 8), random_state=0, max_iter=60)
    boosting.fit(table[:30_000], rich[:30_000])
    error = (boosting.predict(table[30_000:]) != rich[30_000:]).mean()
    assert 0.22 < rich.mean() < 0.27
    assert 0.28 < 1 - error / rich[30_000:].mean() < 0.38


@pytest.mark.parametrize("rows", [1, 2, 131_072, 131_073])
def test_census_is_the_same_for_the_same_number(rows: int) -> None:
    table = census(rows)
    assert table.height == rows
    assert table.equals(census(rows))


@pytest.mark.parametrize("rows", [0, -3])
def test_census_refuses_fewer_than_one_row(rows: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        census(rows)


def test_hospital_types_and_domains() -> None:
    table = hospital()
    assert table.height == 400
    assert dict(table.schema) == {
        "name": pl.String,
        "birth": pl.Date,
        "sex": pl.String,
        "zip": pl.String,
        "admitted": pl.Date,
        "ward": pl.String,
        "disease": pl.String,
        "cost": pl.Int64,
    }
    assert sum(table.null_count().row(0)) == 0
    assert table["name"].is_unique().all()
    assert table["zip"].str.contains(r"^\d{5}$").all()
    assert table["zip"].str.starts_with("0").any()
    assert not table["zip"].str.starts_with("0").all()
    assert set(table["sex"]) == {"Female", "Male"}
    assert table["admitted"].is_between(date(2025, 1, 1), date(2025, 12, 31)).all()
    assert (table["birth"] < table["admitted"]).all()
    assert (table["cost"] > 0).all()


def test_hospital_allows_five_diversity_and_is_correlated() -> None:
    table = hospital()
    assert table["disease"].n_unique() == 12
    assert table["disease"].value_counts()["count"].max() <= 0.18 * table.height  # type: ignore[operator]
    assert information(table, "ward", "disease") > 0.5
    assert information(table, "sex", "disease") > 0.02
    assert information(table.with_columns(decade=pl.col("birth").dt.year() // 20), "decade", "disease") > 0.1
    assert table.equals(hospital())


def test_adult_reads_a_folder_with_both_files(tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text(f"{KNOWN}\n{UNKNOWN}\n\n")
    (tmp_path / "adult.test").write_text(f"|1x3 Cross validator\n{KNOWN}.\n{UNKNOWN}.\n\n")
    table = adult(tmp_path)
    assert table.shape == (4, 15)
    assert table["salary-class"].to_list() == ["<=50K", ">50K"] * 2
    assert table["native-country"].to_list() == ["United-States", None] * 2
    assert table["age"].to_list() == [39] * 4
    assert table["hours-per-week"].dtype == pl.Int64
    assert table["workclass"].to_list() == ["State-gov"] * 4


@pytest.mark.parametrize("name", ["adult.data", "adult.test"])
def test_adult_reads_one_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(("|1x3 Cross validator\n" if name == "adult.test" else "") + KNOWN + "\n")
    assert adult(str(file)).shape == (1, 15)


def test_adult_reads_a_folder_without_the_test_file(tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text(KNOWN)
    assert adult(tmp_path).height == 1


@pytest.mark.parametrize("separator", [",", ";", ", "])
@pytest.mark.parametrize("last", ["salary-class", "income"])
def test_adult_reads_a_csv_with_a_header(tmp_path: Path, separator: str, last: str) -> None:
    cells = ["39", "Male", "White", "Never-married", "Bachelors", "?", "State-gov", '"Adm-clerical"', "<=50K"]
    header = [name.replace("-", ".") if last == "income" else name for name in [*NINE, last]]
    file = tmp_path / "adult.csv"
    file.write_text("\ufeff" + separator.join(header) + "\r\n" + separator.join(cells) + "\r\n", encoding="utf-8")
    table = adult(file)
    assert table.columns == [*NINE, "salary-class"]
    assert table.row(0) == (39, *cells[1:5], None, "State-gov", "Adm-clerical", "<=50K")


def test_adult_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere does not exist; expected a folder") as caught:
        adult(tmp_path / "nowhere")
    assert caught.value.code == "data.no-file"
    assert "UCI" in caught.value.hint
    with pytest.raises(DataError, match=r"no file adult\.data"):
        adult(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "columns not found"),
        ("secret,age\nsecret,3\n", "columns not found: sex, race"),
        (",".join([*NINE, "income", "class"]) + "\n", "two columns of the same name"),
        (",".join([*NINE, "income"]) + "\n", "holds no rows"),
        (f"{KNOWN}\n\n39, secret\n", "line 3 has 2 fields; expected 15"),
        (KNOWN + "\n" + KNOWN.replace("77516", "secret"), "column fnlwgt that is no whole number"),
        (KNOWN.replace("<=50K", "secret"), "a class other than"),
        (KNOWN.replace("<=50K", "?"), "a class other than"),
    ],
)
def test_adult_refuses_other_content_without_quoting_it(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "adult.data"
    file.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        adult(tmp_path)
    assert caught.value.code == "data.not-adult"
    assert str(file) in str(caught.value)
    assert "secret" not in str(caught.value)


def test_adult_refuses_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "adult.data"
    file.write_bytes(b"39, \xff\xfe\n")
    with pytest.raises(DataError, match="UTF-8 text"):
        adult(file)


def test_adult_refuses_two_files_of_other_columns(tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text(KNOWN)
    (tmp_path / "adult.test").write_text(",".join([*NINE, "income"]) + "\n" + ",".join(["1"] * 9))
    with pytest.raises(DataError, match="different columns"):
        adult(tmp_path)
