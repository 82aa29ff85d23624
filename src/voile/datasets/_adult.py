"""Read the UCI Adult table, in the forms in which people have it."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import polars as pl

_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary-class",
)
_NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_NEEDED = (
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
_ALIASES = {
    "gender": "sex",
    "work-class": "workclass",
    "educational-num": "education-num",
    "class": "salary-class",
    "income": "salary-class",
    "salary": "salary-class",
}
_CLASSES = ("<=50K", ">50K")

_Numbered = tuple[int, list[str]]


def adult(path: str | Path) -> pl.DataFrame:
    """Read UCI Adult from a folder holding `adult.data` (and maybe `adult.test`), one of these files, or a CSV.

    A CSV needs a header with at least the nine columns commonly published; further columns are kept. Unknown
    values ("?") become null, and the dot after the class in `adult.test` is dropped.

    >>> from tempfile import TemporaryDirectory
    >>> line = "39, ?, 7, HS-grad, 9, Divorced, Sales, Unmarried, White, Male, 0, 0, 40, Cuba, <=50K"
    >>> with TemporaryDirectory() as folder:
    ...     size = Path(folder, "adult.data").write_text(line)
    ...     adult(folder).shape
    (1, 15)
    """
    files = _files(Path(path))
    tables = [_read(file) for file in files]
    if tables[-1].schema != tables[0].schema:
        _fail(f"{files[-1]} and {files[0]} have different columns; they must be the same.", "data.not-adult")
    return pl.concat(tables)


def _fail(message: str, code: str) -> NoReturn:
    from voile.errors import DataError

    hint = "Download Adult from the UCI repository and give its folder, adult.data, adult.test, or a CSV with a header."
    raise DataError(message, code=code, hint=hint) from None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.exists():
        _fail(f"{path} does not exist; expected a folder with adult.data, or a file of UCI Adult.", "data.no-file")
    if not (path / "adult.data").is_file():
        _fail(f"{path} has no file adult.data; expected the folder of UCI Adult.", "data.no-file")
    return [file for file in (path / "adult.data", path / "adult.test") if file.is_file()]


def _read(file: Path) -> pl.DataFrame:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            return _table(file, lines)
    except (OSError, UnicodeDecodeError, csv.Error):
        # The cause is dropped: the text of a decoding error quotes the content of the file.
        _fail(f"{file} cannot be read as lines of UTF-8 text; expected a file of UCI Adult.", "data.not-adult")


def _table(file: Path, lines: Iterator[str]) -> pl.DataFrame:
    rows = _rows(lines)
    number, first = next(rows, (0, [""]))
    if first[0].isdigit():
        names, body, raw = list(_COLUMNS), [(number, first), *rows], True
    else:
        names, body, raw = _header(file, first), list(rows), False
    for number, row in body:
        if len(row) != len(names):
            _fail(f"{file} line {number} has {len(row)} fields; expected {len(names)}.", "data.not-adult")
    if not body:
        _fail(f"{file} holds no rows; expected rows of UCI Adult.", "data.not-adult")
    columns = zip(names, zip(*(row for _, row in body), strict=True), strict=True)
    return _typed(file, pl.DataFrame([pl.Series(name, cells, dtype=pl.String) for name, cells in columns]), raw)


def _rows(lines: Iterator[str]) -> Iterator[_Numbered]:
    """Yield numbered rows of stripped cells, without blank lines and the comment that opens adult.test."""
    separator = ""
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("|"):
            continue
        if not separator:
            separator = ";" if text.count(";") > text.count(",") else ","
        yield number, [cell.strip() for cell in next(csv.reader([text], delimiter=separator, skipinitialspace=True))]


def _header(file: Path, cells: list[str]) -> list[str]:
    plain = [cell.lower().replace(".", "-").replace("_", "-").replace(" ", "-") for cell in cells]
    names = [_ALIASES.get(name, name) for name in plain]
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        _fail(
            f"{file} is neither a raw file of UCI Adult nor a CSV with its header; columns not found: "
            f"{', '.join(missing)}.",
            "data.not-adult",
        )
    if len(set(names)) < len(names):
        _fail(f"{file} has two columns of the same name in its header; expected distinct columns.", "data.not-adult")
    return names


def _typed(file: Path, table: pl.DataFrame, raw: bool) -> pl.DataFrame:
    known = table.with_columns(
        pl.when(pl.all().is_in(["?", ""])).then(None).otherwise(pl.all()).name.keep()
    ).with_columns(pl.col("salary-class").str.strip_chars_end("."))
    numbers = [name for name in _NUMBERS if name in known.columns]
    typed = known.with_columns(pl.col(numbers).cast(pl.Int64, strict=False))
    for name in numbers:
        if typed[name].null_count() > known[name].null_count():
            _fail(f"{file} has a value in column {name} that is no whole number.", "data.not-adult")
    if raw and not typed["salary-class"].is_in(_CLASSES).all(ignore_nulls=False):
        _fail(f"{file} has a class other than {' and '.join(_CLASSES)} in its last field.", "data.not-adult")
    return typed
