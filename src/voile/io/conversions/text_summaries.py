"""What the cells of a column of text allow, chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from voile.io.conversions.text_forms import (
    DATE_READINGS,
    EIGHT_DIGITS,
    EXPONENTS,
    FORMS,
    NUMBER_READINGS,
    find_forms,
    find_unit,
    looks_like_date,
    looks_like_number,
)
from voile.io.csv_types import CODE, EXPONENT_CODE, TELEPHONE, matches_some, possible_types

NO_ANSWERS = """unknown unbekannt inconnu desconocido missing fehlt none null na n/a n.a. #n/a nan inf -inf infinity
-infinity k.a. refused - -- . ?"""
PLACEHOLDERS = {*NO_ANSWERS.split(), "k. a.", "keine angabe", "nicht bekannt", "not known", "not available"}
HEAD = 1_000  # cells of which one with a digit makes a column worth a closer look


@dataclass(frozen=True)
class TextSummary:
    """What the cells of a column allow in one chunk: the types that need no conversion (None without cells), the forms
    that read every cell, the signs that occur, how many cells there are, how many of them look like dates and like
    numbers, whether the first row has words, and how many cells have the form of a date that no calendar has."""

    native: frozenset[str] | None
    forms: frozenset[str]
    signs: frozenset[str]
    cells: int
    dates: int
    numbers: int
    starts_with_words: bool | None  # None if the first row has no cell, or one that says nothing
    impossible_dates: int = 0


def summarize_text(texts: pl.Series) -> TextSummary:
    """Summarize the cells of a text column. Works on distinct cells: O(n) to count them, unless the first cells already
    show that the column holds words."""
    head = texts.head(HEAD).drop_nulls().unique()
    if len(head) and not head.str.contains(r"\d").any() and not head.str.to_lowercase().is_in(["true", "false"]).all():
        words, nothing = None if _says_nothing(texts) else True, frozenset[str]()
        return TextSummary(frozenset({"text"}), nothing, nothing, len(texts) - texts.null_count(), 0, 0, words)
    counted = texts.drop_nulls().alias("cell").value_counts(name="count")
    cells = counted["cell"]
    native = possible_types(cells)
    filled, nothing = int(counted["count"].sum()), frozenset[str]()
    is_blank = _says_nothing(texts)
    no_words = None if is_blank else False
    if native is not None and native & {"boolean", "time"}:
        return TextSummary(native, nothing, nothing, filled, 0, 0, no_words)
    if native is not None and "integer" in native:
        are_exact = "number" in native
        forms = frozenset(name for name, form in FORMS.items() if are_exact and form.reading in NUMBER_READINGS)
        forms |= find_forms(cells, [EIGHT_DIGITS])
        return TextSummary(native, forms, frozenset({"unit:", "plain"}), filled, 0, filled, no_words)
    cell = pl.col("cell")
    are_codes = (cell.str.contains(CODE) & ~looks_like_date(cell)).any()
    marked = counted.with_columns(date=looks_like_date(cell), number=looks_like_number(cell) & ~are_codes)
    dates, numbers = marked.select(
        pl.col("count").filter(pl.col("date")).sum().alias("dates"),
        pl.col("count").filter(pl.col("number")).sum().alias("numbers"),
    ).row(0)
    signs = _find_signs(marked) if dates or numbers else nothing
    first = texts.head(1).to_frame("cell").select(looks_like_date(cell) | looks_like_number(cell)).to_series()
    words = None if is_blank else not first[0]
    forms = find_forms(cells, FORMS if filled and filled in (dates, numbers) else [EXPONENTS])
    is_day = bool(forms - {EXPONENTS})
    signs |= _find_codes(cells) if EXPONENTS in forms else nothing
    impossible = 0 if is_day or not dates else _count_impossible(marked.filter("date"))
    return TextSummary(native, forms, signs, filled, int(dates), int(numbers), words, impossible)


def _says_nothing(texts: pl.Series) -> bool:
    """Whether the first cell is missing, or a word for it."""
    return not len(texts) or texts[0] is None or texts[0].strip().casefold() in PLACEHOLDERS


def _count_impossible(dates: pl.DataFrame) -> int:
    """Count the cells that have the form of a date although no calendar has the day, such as 30.02.2024."""
    cell = dates["cell"]
    has_form, is_day = pl.repeat(False, len(cell), eager=True), pl.repeat(False, len(cell), eager=True)
    for form in (form for form in FORMS.values() if form.reading in DATE_READINGS):
        matches = cell.str.contains(form.pattern)
        has_form, is_day = has_form | matches, is_day | (matches & form.cast(cell).is_not_null())
    return int(dates["count"].filter(has_form & ~is_day).sum())


def _find_codes(cells: pl.Series) -> frozenset[str]:
    """Return the kinds of codes among cells that could also be numbers."""
    kinds = {"exponent": EXPONENT_CODE, "telephone": TELEPHONE}
    return frozenset(kind for kind, pattern in kinds.items() if matches_some(cells, pattern))


def _find_signs(marked: pl.DataFrame) -> frozenset[str]:
    """Return what tells readings apart: `unit:€`, `.` and `,` in numbers, `plain` numbers, dates with points, dates
    with slashes or dashes, and whether one of these tells the day from the month."""
    cell = pl.col("cell")
    numbers = marked.filter("number").select(
        find_unit(cell).unique().implode().alias("units"),
        cell.str.contains(".", literal=True).any().alias("."),
        cell.str.contains(",", literal=True).any().alias(","),
        (~cell.str.contains(r"\d[ \u00a0\u202f'’]\d")).any().alias("plain"),
    )
    units = numbers["units"][0]
    signs = {f"unit:{unit}" for unit in (units.to_list() if units is not None else ())}
    signs |= {name for name in (".", ",", "plain") if numbers[name][0]}
    dates = marked.filter("date")["cell"]
    slash = r"^\d{1,2}[/-]\d{1,2}[/-]"
    clear = r"^(?:(?:1[3-9]|[23]\d)[/-]|\d{1,2}[/-](?:1[3-9]|[23]\d)[/-])"
    kinds = {"date with points": r"^\d{1,2}\.\d", "date with slashes": slash, "clear date with slashes": clear}
    signs |= {kind for kind, pattern in kinds.items() if matches_some(dates, pattern)}
    return frozenset(signs)
