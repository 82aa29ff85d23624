"""Workbooks (Excel, OpenDocument) and files of Stata and SPSS, read by maintained libraries (extra `files`).

A value label of Stata or SPSS takes the place of its code, as a category in the order of the codes, so the dictionary
of a release has the labels. Where labels do not cover the values of a column, nobody guesses: the user decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import DataError, EngineError, SpecError, option
from voile.io.conversions.column_readings import ColumnReading
from voile.io.conversions.converted_frames import convert_frame
from voile.io.conversions.header_fields import refuse_data_in_header
from voile.io.conversions.reading_decisions import keep_postcodes
from voile.io.conversions.text_forms import NUMBER_READINGS
from voile.io.conversions.text_options import TextOptions
from voile.io.csv_types import names_postcode
from voile.io.library_border import library_border

KINDS = {
    ".xlsx": "Excel",
    ".xlsm": "Excel",
    ".xlsb": "Excel",
    ".xls": "Excel",
    ".ods": "OpenDocument",
    ".dta": "Stata",
    ".sav": "SPSS",
    ".zsav": "SPSS",
}
_PRINTABLE = frozenset(b"\t\r\n" + bytes(range(32, 127)))
_OLE = b"\xd0\xcf\x11\xe0"
_MARKS = (  # what a file begins with, and what it then is
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"$FL2", "SPSS"),
    (b"$FL3", "SPSS"),
    (b"<stata_dta>", "Stata"),
    (b"PK\x03\x04", "workbook"),
    (_OLE, "workbook"),
    (b"%PDF", "PDF"),
    (b"\x1f\x8b", "compressed"),
)
_MARKUP = (b"<!doctype", b"<html", b"<table", b"<?xml")  # a page of a web site that was saved as a table


def check_content(path: Path, expected: str) -> None:
    """Raise if a file is of another kind than its ending says. `expected` is the kind of its ending."""
    with path.open("rb") as handle:
        head = handle.read(1024)
    start = head[:16]
    found = next((kind for mark, kind in _MARKS if start.startswith(mark)), "")
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not found and text.startswith(_MARKUP):
        found = "HTML or XML"
    elif not found and text[:20].replace(b" ", b"").replace(b"\n", b"").startswith((b'[{"', b'{"')):
        found = "JSON"
    elif not found and expected != "text" and b"\n" in head and all(byte in _PRINTABLE for byte in start):
        found = "text"
    wanted = "workbook" if expected in ("Excel", "OpenDocument") else expected
    if found == "workbook" and start.startswith(_OLE) and path.suffix.lower() in (".xlsx", ".xlsm", ".xlsb", ".ods"):
        raise DataError(
            f"{path.name!r} is protected by a password, or is an old workbook with a new ending.",
            code="data.password",
            hint="Remove the password in the program that wrote it (File, Info, Protect), or save it anew as .xlsx.",
        )
    is_mismatch = found not in ("", wanted) or (wanted in ("workbook", "SPSS") and not found)
    if is_mismatch:
        raise DataError(
            f"{path.name!r} is not what its ending says: it is {f'{found} data' if found else f'no {expected} file'}.",
            code="data.format",
            hint="Give it the ending of what it is (.csv for text), or export it again.",
        )


def read_labelled(
    path: Path, columns: Sequence[str] | None, how: TextOptions, check: Callable[[list[str]], None] | None = None
) -> pl.DataFrame:
    """Read the requested columns of a workbook's only sheet, or of a file of Stata or SPSS."""
    kind = KINDS[path.suffix.lower()]
    fault = DataError(
        f"{path.name!r} is not a complete {kind} file.", code="data.corrupt", hint="Write or fetch it again."
    )
    with library_border(fault):
        try:
            if kind in ("Excel", "OpenDocument"):
                return _read_workbook(path, columns, how, check)
            return _read_statistics(path, kind, columns, how, check)
        except ImportError as error:
            raise EngineError(
                f"Reading {kind} files needs the package {error.name!r}.",
                code="engine.extra",
                hint="Install voile[files].",
            ) from None


def _read_workbook(
    path: Path, columns: Sequence[str] | None, how: TextOptions, check: Callable[[list[str]], None] | None
) -> pl.DataFrame:
    import fastexcel

    book = fastexcel.read_excel(path)
    sheet = _choose_sheet(path, book, how.sheet)
    # types are decided by all rows: a sample would make a later text in a column of numbers a missing cell
    frame: pl.DataFrame = book.load_sheet(sheet, schema_sample_rows=None).to_polars()
    written: pl.DataFrame = book.load_sheet(sheet, dtypes="string").to_polars()
    names = [name.strip() for name in frame.columns]
    refuse_data_in_header(path, names)
    unnamed = sum(name.startswith("__UNNAMED__") or not name for name in names)
    repeated = sum("_duplicated_" in name for name in names)
    if unnamed or repeated or len(set(names)) < len(names):
        raise DataError(
            f"{unnamed} columns of {path.name!r} have no name in the first row, and {repeated} have one twice.",
            code="data.header",
            hint="Remove titles and second header rows above the table, so that its first row names every column once.",
        )
    frame.columns = written.columns = names
    if check is not None:
        check(names)
    frame = frame.select(name for name in names if columns is None or name in columns)
    nulls = ["", *how.null_values]
    frame = frame.with_columns(_restore_texts(frame[name], written[name], nulls) for name in frame.columns)
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    padded = [name for name in texts if (frame[name] != frame[name].str.strip_chars()).any()]
    cell = pl.col(texts).str.strip_chars()
    frame = frame.with_columns(pl.when(cell.is_in(nulls)).then(None).otherwise(cell).name.keep()) if texts else frame
    frame = convert_frame(frame, how, ";")
    how.record.padded = [name for name in padded if frame.schema[name] == pl.String]
    return pl.DataFrame([_keep_postcodes(_narrow_numbers(column), how) for column in frame])


def _restore_texts(values: pl.Series, written: pl.Series, nulls: Sequence[str]) -> pl.Series:
    """Return a column as it is written, if the reader took texts such as n/a for missing cells that nobody named."""
    texts = written.str.strip_chars()
    named = int((texts.is_null() | texts.is_in(list(nulls))).sum())
    return written if values.null_count() > named else values


def _choose_sheet(path: Path, book: Any, asked: str | int | None) -> str:
    """Return the name of the sheet that is asked for, by name or number from 1; else of the only one that has rows."""
    names: list[str] = book.sheet_names
    if asked is not None:
        number = int(asked) if str(asked).isdecimal() and str(asked) not in names else None
        chosen = str(asked) if number is None else names[number - 1] if 1 <= number <= len(names) else ""
        if chosen not in names:
            raise DataError(
                f"{path.name!r} has no sheet {asked!r}.",
                code="data.sheets",
                hint=f"Its sheets are {_list_sheets(names)}.",
            )
        return chosen
    sheets = [name for name in names if book.load_sheet(name, n_rows=1).total_height > 1]
    if len(sheets) != 1:
        raise DataError(
            f"{path.name!r} has {len(sheets)} sheets with rows.",
            code="data.sheets",
            hint=f"Name one of {_list_sheets(names)}: {option('sheet', names[0])}.",
        )
    return sheets[0]


def _list_sheets(names: Sequence[str]) -> str:
    return ", ".join(f"{name!r} ({number})" for number, name in enumerate(names, start=1))


def _read_statistics(
    path: Path, kind: str, columns: Sequence[str] | None, how: TextOptions, check: Callable[[list[str]], None] | None
) -> pl.DataFrame:
    import pyreadstat

    read: Any = pyreadstat.read_dta if kind == "Stata" else pyreadstat.read_sav
    _, header = read(str(path), metadataonly=True, output_format="polars")
    if check is not None:
        check(list(header.column_names))
    requested = [name for name in header.column_names if columns is None or name in columns]
    if not requested:
        return pl.DataFrame()
    frame, header = read(str(path), usecols=requested, output_format="polars")
    labels: Mapping[str, Mapping[Any, str]] = header.variable_value_labels
    _refuse_unused_readings(kind, how, frame, labels)
    how.record.titles.update({name: title for name, title in header.column_names_to_labels.items() if title})
    series = [_narrow_numbers(frame[name]) for name in requested]
    return pl.DataFrame([_apply_labels(_keep_postcodes(one, how), labels.get(one.name, {}), how) for one in series])


def _refuse_unused_readings(
    kind: str, how: TextOptions, frame: pl.DataFrame, labels: Mapping[str, Mapping[Any, str]]
) -> None:
    """Raise for readings that change nothing: these files have types and labels, and no numbers or dates as text."""
    for name in (name for name in how.convert if name in frame.columns):
        useful = ["text", "codes", *(["labels"] if labels.get(name) else [])]
        useful += NUMBER_READINGS if frame[name].dtype.is_numeric() else []  # for postcodes, which stay text otherwise
        asked = how.convert[name]
        if asked not in useful:
            raise SpecError(
                f"{option('convert', {name: asked})} has no effect here: {kind} files hold types and labels.",
                code="spec.unused-option",
                hint=f"The readings of {name!r} are {', '.join(useful)}. For another type, convert the column in the "
                "program that wrote the file.",
            )


def _narrow_numbers(values: pl.Series) -> pl.Series:
    """Return whole numbers as such: these files store every number with decimals."""
    if values.dtype.is_float() and bool((values.drop_nulls() == values.drop_nulls().round()).all()):
        return values.cast(pl.Int64)
    if values.dtype == pl.String:
        return values.set(values == "", None)
    return values


def _keep_postcodes(values: pl.Series, how: TextOptions) -> pl.Series:
    """Return postcodes as text, as they are read from a CSV: they are no quantities."""
    name = values.name
    is_number = values.dtype.is_integer() and names_postcode(f"{name} {how.record.titles.get(name, '')}")
    if not is_number or how.convert.get(name) in (*NUMBER_READINGS, "codes"):
        return values
    if name not in how.convert:
        how.record.columns.append(keep_postcodes(name))
    return values.cast(pl.String)


def _apply_labels(values: pl.Series, labels: Mapping[Any, str], how: TextOptions) -> pl.Series:
    """Replace codes by their labels; a column whose labels do not cover its values keeps the codes until decided."""
    asked = how.convert.get(values.name)
    if not labels or asked in ("codes", "text"):
        if asked is not None:
            how.record.columns.append(ColumnReading(values.name, asked, "text", is_forced=True))
        return values.cast(pl.String) if asked == "text" else values
    present = values.drop_nulls().unique().sort().to_list()
    unlabelled = [code for code in present if code not in labels]
    if unlabelled and asked != "labels":
        note = f"{len(unlabelled):,} of its {len(present):,} values have no label."
        how.record.columns.append(ColumnReading(values.name, "codes", "text", ("codes", "labels"), note))
        return values
    names = _name_codes(sorted({*labels, *present}), labels)
    how.record.columns.append(ColumnReading(values.name, "labels", "text", is_forced=asked is not None))
    texts = [names[code] for code in names]
    return values.replace_strict(list(names), texts, return_dtype=pl.Enum(texts))


def _name_codes(codes: Sequence[Any], labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the label of each code, or the code itself; of labels that stand twice, with the code."""
    plain = {code: str(labels.get(code, _write_code(code))).strip() for code in codes}
    twice = {name for name in plain.values() if [*plain.values()].count(name) > 1}
    return {
        code: f"{name} ({_write_code(code)})" if name in twice or not name else name for code, name in plain.items()
    }


def _write_code(code: Any) -> str:
    """Write a code as people do: SPSS stores every number with decimals."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)
