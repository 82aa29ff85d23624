"""The result of `inspect`: columns with suggested roles, people who stand out, and how anonymous the table is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from voile.errors import SpecError
from voile.flow.explore.anonymity import Anonymity
from voile.flow.explore.column_profiles import ColumnProfile, RepeatedValues
from voile.flow.explore.improvements import give_advice
from voile.flow.explore.inspection_page import write_page
from voile.flow.explore.population.population_risk import PopulationRisk
from voile.flow.explore.population.register_risk import RegisterRisk
from voile.flow.explore.population.special_uniques import SpecialUniques
from voile.flow.explore.uniqueness import TOGETHER, Uniqueness
from voile.io import text_files
from voile.io.conversions.column_readings import ReadingRecord
from voile.result_tables import ResultTable
from voile.tables.roles.column_words import names_group, names_somebody
from voile.tables.roles.role_guessing import UNSURE
from voile.tables.schema import ROLES, Schema
from voile.tables.unit import ONE_ROW, Unit
from voile.tables.value_variants import Variants


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(ResultTable):
    """The result of `inspect`.

    `known` are the columns that an adversary is assumed to know, `whole` is the uniqueness on all of them, `adds` the
    number of people that each of them singles out and the others do not, `shares` how much of the uniqueness each
    causes, and `combinations` the uniqueness on up to three of them. `possible` counts all combinations; on wide or
    long tables only the most telling are computed. `anonymity` has the k of the known columns and, for each sensitive
    column, l, t, alpha, beta and delta. `population`, `register` and `special_uniques` are filled where they were asked
    for; they are estimates. `reading` tells how the text of a file was converted and what a person must decide there;
    `variants` are categories that may be one. `weight_note` says why survey weights estimate nothing.
    `repeats` are the columns that look like identifiers and whose values repeat: a person may have several rows. Where
    a column tells people apart, as a schema says or else as suggested, people stand out by one row each: somebody with
    two equal rows is alone all the same. `unit` says whether people are counted there, or rows.
    """

    people: int
    columns: tuple[ColumnProfile, ...]
    known: tuple[str, ...]
    whole: Uniqueness | None
    adds: Mapping[str, int] = field(default_factory=dict)
    combinations: tuple[Uniqueness, ...] = ()
    possible: int = 0
    repeats: tuple[RepeatedValues, ...] = ()
    unit: Unit = ONE_ROW
    shares: Mapping[str, float] = field(default_factory=dict)
    anonymity: Anonymity | None = None
    population: PopulationRisk | None = None
    register: RegisterRisk | None = None
    special_uniques: SpecialUniques | None = None
    reading: ReadingRecord = field(default_factory=ReadingRecord)
    variants: tuple[Variants, ...] = ()
    weight_note: str = ""

    def __repr__(self) -> str:
        alone = f"; {self.whole.alone} alone on {', '.join(self.known)}" if self.whole else ""
        size = f"{self.people} {self.row_noun}"
        return f"Inspection({size}, {len(self.columns)} columns{alone})"

    def _list_rows(self) -> list[dict[str, Any]]:
        parts = ("name", "kind", "distinct", "missing", "alone", "role", "confidence", "why")
        return [{part: getattr(column, part) for part in parts} for column in self.columns]

    def __getitem__(self, name: str) -> ColumnProfile:
        return next(column for column in self.columns if column.name == name)

    @property
    def row_noun(self) -> str:
        """What `people` and the profiles of the columns count: "people" where every row is known to be one."""
        one_row_each = self.whole is None or self.whole.people == self.people
        return "people" if self.unit.checked and one_row_each else "rows"

    @property
    def suggested_person(self) -> str | None:
        """The column that seems to tell people apart although its values repeat; of several the one that is named after
        people, or else tells apart the most. None if every row is a person already."""
        candidates = [item for item in self.repeats if item.is_person]
        if self.row_identifier is not None or not candidates:
            return None
        return max(candidates, key=lambda item: (names_somebody(item.column), item.different, item.column)).column

    @property
    def row_identifier(self) -> str | None:
        """The first column that tells people apart and is different in every row: every row is a person. A number of
        cases, visits or papers is none beside one of people that repeats."""
        whole = [column.name for column in self.columns if column.tells_people_apart and column.distinct == self.people]
        if any(item.is_person and not names_group(item.column) for item in self.repeats):
            whole = [name for name in whole if names_somebody(name)]
        return next(iter(whole), None)

    def roles(self) -> dict[str, list[str]]:
        """Return the suggested roles, as a schema takes them, without the undecided columns."""
        return {role: [column.name for column in self.columns if column.role == role] for role in ROLES}

    def undecided(self) -> list[str]:
        """Return the columns for which no role can be suggested: somebody has to decide."""
        return [column.name for column in self.columns if column.role == UNSURE]

    def list_codes(self) -> list[str]:
        """Return the columns of whole numbers that may be codes, of which a range means nothing."""
        return [column.name for column in self.columns if column.holds_codes and column.role not in ("", "identifier")]

    def describe_code_lists(self) -> list[str]:
        """Say which columns are of a public list, and how many of their values are not in it."""
        listed = {column.name: column.code_list for column in self.columns if column.role != "identifier"}
        return [fit.describe(name) for name, fit in listed.items() if fit is not None]

    def list_reading(self) -> dict[str, Any]:
        """Return how the columns that have a role were read, as [read] of a spec states it."""
        found = self.reading.as_spec()
        roles = {column.name: column.role for column in self.columns}
        convert = {name: how for name, how in found.get("convert", {}).items() if roles.get(name) in ROLES}
        return {**found, "convert": convert} if convert else {key: found[key] for key in found if key != "convert"}

    def describe_undecided(self) -> str:
        """Say how columns without a decision are counted; an empty text if there are none."""
        counted = [name for name in self.undecided() if name in self.known]
        others = [name for name in self.undecided() if name not in self.known]
        told = f"Counted as known, to be on the safe side, until you decide: {', '.join(counted)}." if counted else ""
        return (
            f"{told} Not counted, because you named the known columns: {', '.join(others)}.".strip() if others else told
        )

    def riskiest(self, each: int = 4) -> list[Uniqueness]:
        """Return, for one, two and three columns, the combinations that single out the most people. A combination that
        singles out no more people than one that it contains is left out."""
        riskiest: list[Uniqueness] = []
        for size in range(1, TOGETHER + 1):
            ranked = sorted(
                (item for item in self.combinations if len(item.columns) == size and item.alone),
                key=lambda item: (-item.alone, item.columns),
            )
            riskiest += [
                item
                for item in ranked[:each]
                if all(item.alone > subset.alone for subset in riskiest if set(subset.columns) < set(item.columns))
            ]
        return riskiest

    @cached_property
    def html(self) -> str:
        """One self-contained page: no script, no font, no address to load from."""
        return write_page(self.as_json(), self.row_noun, self.anonymity)

    def save(self, path: str | Path) -> Path:
        """Write the page (`inspection.html`) and, beside it, the same as JSON. Returns the page."""
        page = Path(path)
        if page.suffix.lower() not in (".html", ".htm"):
            message = f"An inspection is saved as an HTML page, but {page.name!r} does not end in .html."
            raise SpecError(message, code="spec.out", hint="Name it inspection.html.")
        content = json.dumps(self.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        text_files.write_texts({page: self.html, page.with_suffix(".json"): content})
        return page

    def advice(self, schema: Schema) -> list[str]:
        """Return what is unwise about the roles of a schema, with what to do about it."""
        return [*give_advice(schema, self.columns, self.repeats, self.people, self.row_noun)]

    def as_json(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "columns": [column.as_json() for column in self.columns],
            "known": list(self.known),
            "whole": asdict(self.whole) if self.whole else None,
            "adds": dict(self.adds),
            "shares": dict(self.shares),
            "riskiest": [asdict(item) for item in self.riskiest()],
            "looked_at": len(self.combinations),
            "possible": self.possible,
            "repeats": [asdict(item) for item in self.repeats],
            "suggested_person": self.suggested_person,
            "undecided": self.undecided(),
            "codes": self.list_codes(),
            "undecided_note": self.describe_undecided(),
            "unit": self.unit.as_json(),
            "reading": {"notes": self.reading.describe(), "spec": self.reading.as_spec(), **self.reading.as_json()},
            "variants": [one.as_json() for one in self.variants],
            **({"weight_note": self.weight_note} if self.weight_note else {}),
            **{
                part: getattr(self, part).as_json() if getattr(self, part) else None
                for part in ("anonymity", "population", "register", "special_uniques")
            },
        }
