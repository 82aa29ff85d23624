"""Check how many rows a person has: a stranger cannot, but whoever has the table can."""

from __future__ import annotations

import numpy as np

from voile.errors import DataError, SpecError, Unsatisfiable, option
from voile.flow.checking.claim_check import check_by_republishing
from voile.flow.checking.method_check import stated_method
from voile.methods.base import KeepsSeats
from voile.models.claimed_model import claimed_model
from voile.models.evidence import Evidence
from voile.models.policy import Policy
from voile.releases.release import Release
from voile.results import Answer, Checked
from voile.tables.microdata import PERSON, Microdata
from voile.tables.unit import PERSON_COLUMN

TITLE = "rows per person"
MOST_PAIRS = 1_000_000_000  # of distinct rows and groups that are compared


def check_people(release: Release, evidence: Evidence) -> Checked | None:
    """Check with the table that nobody has more rows than the unit allows; None if the table does not tell.

    With the key, the release is made again. Without it, or where the certificate does not contain all that was asked,
    the number of rows must be what the people of the table can contribute, and no group may have more rows than the
    people in it can.
    """
    data, unit = evidence.data, release.unit
    if data is None or data.people is None:
        return None
    policy = Policy(*(claimed_model(claim) for claim in release.certificate.claims))
    # a ledger remembers the release of people who are followed: it cannot be made again
    follows_people = policy.follows_people or isinstance(stated_method(release.certificate), KeepsSeats)
    if evidence.republish is not None and not follows_people:
        try:
            return Checked(TITLE, *check_by_republishing(release, evidence.republish))
        except DataError as error:
            if error.code != "data.ledger":  # without its ledger a later release cannot be made again
                raise
        except SpecError:
            pass  # e.g. a certificate names a prior by its digest, so that nobody can publish with it: count instead
        except Unsatisfiable:
            return Checked(TITLE, Answer.BROKEN, "This table cannot be published with this promise.")
    possible = data.people.total - data.people.count_rows_over(unit.rows)
    rows = release.people - release.absent + int(release.dictionary.get("withheld", 0))
    if rows != possible:
        detail = (
            f"The {data.people.people} people of the table contribute {possible} rows if nobody has more than "
            f"{unit.rows}, but the release accounts for {rows}."
        )
        return Checked(TITLE, Answer.BROKEN, detail)
    crowded = 0 if follows_people else count_crowded_groups(release, data)  # seats show people as they were first
    if crowded:
        return Checked(TITLE, Answer.BROKEN, f"{crowded} groups have more rows than the people in them can contribute.")
    detail = (
        f"The number of rows is what {data.people.people} people contribute if nobody has more than {unit.rows}. Which "
        "of their rows were drawn needs the key."
    )
    return Checked(TITLE, Answer.HOLDS, detail)


def count_crowded_groups(release: Release, data: Microdata) -> int:
    """Count the groups with more rows than their people contribute if nobody has more than the unit allows.

    Only where every row of the table fits one group, the table is in memory, and finding the groups takes seconds.
    """
    linked = data.with_linked_rows()
    if linked is None:
        return 0
    rows = linked.rows.collect()
    cells = rows.histogram([column.name for column in data.columns.quasi])
    if len(cells.counts) * release.groups > MOST_PAIRS:
        return 0
    home = release.locate(linked)
    if (home < 0).any():
        return 0
    group, table = rows.place(cells, home).count_by_group([PERSON])
    possible = np.bincount(group, weights=np.minimum(table.counts, release.unit.rows), minlength=release.groups)
    return int((release.sizes > possible).sum())


def require_people_of(release: Release, data: Microdata) -> None:
    """Refuse a table that does not tell whose its rows are, if the release was made from one that does: its rows would
    be taken for people."""
    if release.unit.basis == PERSON_COLUMN and data.people is None:
        raise DataError(
            "The release counts people, and the table does not tell whose its rows are.",
            code="data.person",
            hint=f"Read the table with the column that identifies people ({option('person', 'patient_id')}).",
        )
