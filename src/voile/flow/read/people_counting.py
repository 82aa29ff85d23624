"""Who is who: a person may have several rows, and a table that hides it is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from voile.engines.person_rows import count_bucket_bits, find_buckets
from voile.errors import DataError, option
from voile.flow.read.chunk_coding import CodedChunk
from voile.tables.part_protocol import Parts
from voile.tables.schema import Schema
from voile.tables.unit import ASSUMED, DECLARED, IDENTIFIER, PERSON_COLUMN, Unit


def check_people_named(missing: Mapping[str, int], schema: Schema) -> None:
    """Refuse rows that do not tell whose they are, unless they are dropped."""
    nobody = missing.get(schema.person or "", 0)
    if nobody and schema.missing != "drop":
        raise DataError(
            f"{nobody} rows have no value in {schema.person!r}, so nobody can tell whose they are.",
            code="data.person",
            hint=f"Fill them in, or leave those rows out ({option('missing', 'drop')}).",
        )


def find_unit(coded: Parts, named: Mapping[str, int], total: int, schema: Schema) -> Unit:
    """Return the unit of privacy of a table that was coded, `named` with how many rows have each identifier.

    DataError if an identifier repeats and nobody said what that means, or if a number of people repeats that a person
    column takes for several.
    """
    if schema.person is not None:
        different = count_identifiers(coded, total) if named else {}
        for name, people in different.items():
            if people < named[name] and different[schema.person] == named[schema.person]:
                raise _contradicts(name, named[name], people, schema.person)
        return Unit(schema.rows_per_person, PERSON_COLUMN)
    if schema.rows_are is not None:
        return Unit(1, DECLARED)
    different = count_identifiers(coded, total) if named else {}
    for name, people in different.items():
        if people < named[name]:
            raise _repeats(name, named[name], people)
    return Unit(1, IDENTIFIER if total in named.values() else ASSUMED)


def _repeats(name: str, rows: int, people: int) -> DataError:
    return DataError(
        f"{rows:,} rows share {people:,} values of the identifier {name!r}, so a person may have several rows, and a "
        "promise about rows is none about people.",
        code="data.people",
        hint=f"If {name!r} tells people apart, say so: {option('person', name)}, with {option('rows_per_person', 1)} "
        f"or more. If different people share its values, as with a name: {option('rows_are', 'people')}.",
    )


def _contradicts(name: str, rows: int, people: int, person: str) -> DataError:
    return DataError(
        f"{rows:,} rows share {people:,} values of the identifier {name!r}, and {person!r} is different in every row, "
        "as the number of a visit is: a promise about rows is none about people.",
        code="data.people",
        hint=f"If {name!r} tells people apart, say so: {option('person', name)}. If it does not, leave it out of the "
        "identifiers: columns without a role are not published.",
    )


def count_identifiers(coded: Parts, total: int) -> dict[str, int]:
    """Count the different values of each identifier, wherever the chunks lie."""
    bits = count_bucket_bits(total)
    buckets = coded.repartition("identifiers", _split_identifiers, _merge_identifiers, 1 << bits, bits)
    counted: Sequence[Mapping[str, int]] = buckets.map("identifiers", _count_different).summaries
    return {name: sum(count.get(name, 0) for count in counted) for count in counted for name in count}


def _split_identifiers(chunk: CodedChunk, number: int, bits: int) -> list[tuple[int, dict[str, np.ndarray]]]:
    fragments: dict[int, dict[str, np.ndarray]] = {}
    for name, hashes in chunk.identifiers.items():
        different = np.unique(hashes)
        home = find_buckets(different, bits)
        ends = np.searchsorted(home, np.arange((1 << bits) + 1))  # the buckets rise with the hashes
        for bucket in range(1 << bits):
            fragments.setdefault(bucket, {})[name] = different[ends[bucket] : ends[bucket + 1]]
    return list(fragments.items())


def _merge_identifiers(fragments: Sequence[Mapping[str, np.ndarray]], number: int) -> dict[str, np.ndarray]:
    names = fragments[0] if fragments else {}
    return {name: np.concatenate([part[name] for part in fragments]) for name in names}


def _count_different(hashes: Mapping[str, np.ndarray], number: int) -> tuple[None, dict[str, int]]:
    return None, {name: len(np.unique(own)) for name, own in hashes.items()}
