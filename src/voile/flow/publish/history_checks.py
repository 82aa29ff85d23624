"""Check that earlier releases, a ledger and a table belong together, before and after a new release is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voile.adversaries.ledger import Ledger
from voile.adversaries.seating import Seating
from voile.errors import DataError, PolicyError, Unsatisfiable, option
from voile.methods.base import KeepsSeats, Method
from voile.models.abilities import needs_one_row
from voile.models.policy import Policy
from voile.plugins.counted_nouns import count_noun
from voile.releases.joint.value_types import JUDGED_SHAPES, refuse_unjudged
from voile.releases.release import Release
from voile.tables.microdata import Microdata, require_people
from voile.tables.unit import PERSON_COLUMN, Unit


def check_order(releases: Sequence[Release]) -> None:
    """Raise DataError where a release names earlier ones that do not come before it."""
    digests = [release.digest for release in releases]
    for number, release in enumerate(releases):
        named = {
            str(digest)
            for claim in release.certificate.claims
            for digest in claim["parameters"].get("earlier") or ()
            if isinstance(digest, str)
        }
        missing = named - set(digests[:number])
        if missing & set(digests):
            raise DataError(
                f"Earlier release {number + 1} was published after one that is named behind it.",
                code="data.after-order",
                hint="Name the earlier releases in the order in which they were published, oldest first.",
            )
        if missing:
            raise DataError(
                f"Earlier release {number + 1} was published after others that are not named ({len(missing)}).",
                code="data.after-missing",
                hint="Name all earlier releases, oldest first: whoever has one may have all of them.",
            )


def check_shapes(releases: Sequence[Release], policy: Policy, method: Method) -> None:
    """Raise PolicyError where releases cannot be judged together."""
    if not releases or not policy.single_release_models:
        return
    for number, release in enumerate(releases, 1):
        refuse_unjudged(release, number)
    if method.produces not in JUDGED_SHAPES or method.indicator_labels:
        raise PolicyError(
            f"{method.name} publishes {method.produces} tables, which cannot be judged together with earlier releases.",
            code="policy.after-shape",
            hint=f"Use {option('method', 'mondrian')} or {option('method', 'anatomy')}.",
        )


def require_same_unit(releases: Sequence[Release], unit: Unit, policy: Policy) -> None:
    """Releases that count people in different ways cannot be compared; nor can values, where a person has several
    rows in each."""
    for number, release in enumerate(releases, 1):
        earlier = release.unit
        if (earlier.rows, earlier.basis == PERSON_COLUMN) != (unit.rows, unit.basis == PERSON_COLUMN):
            raise PolicyError(
                f"Earlier release {number} protects another unit than this one. {earlier.describe()} In this one: "
                f"{unit.describe()}",
                code="policy.after-unit",
                hint="Name the column that identifies people, and the rows per person, as in the earlier release.",
            )
    if releases and unit.rows > 1 and policy.single_release_models:
        raise needs_one_row("A promise about values together with earlier releases", "values are followed row by row")


def check_ledger(
    ledger: Ledger | None, releases: Sequence[Release], data: Microdata, method: Method, follows: bool
) -> None:
    """Raise where a ledger is missing, belongs to other releases, or cannot be kept."""
    if ledger is None:
        if follows and releases:
            raise DataError(
                f"To publish after {count_noun(len(releases), 'release')}, it must be known who sat in which group.",
                code="data.ledger",
                hint=f"Give the ledger that was kept with them ({option('ledger')}).",
            )
        return
    if data.unit.rows > 1:
        raise needs_one_row("A ledger", "it records one seat for each person")
    if method.transforms_rows and not isinstance(method, KeepsSeats):
        raise PolicyError(
            f"{method.name} changes values before they are published, and a ledger records true ones.",
            code="policy.ledger",
            hint="Leave the ledger out, or use a method that shows values as they are.",
        )
    ledger.check([release.digest for release in releases])
    for number, release in enumerate(releases):
        ledger.check_values(number, release.tallies)
    pseudonyms = ledger.make_pseudonyms(require_people(data).list_hashes())
    if releases and (ledger.find_people(pseudonyms) < 0).all():
        raise DataError(
            "The ledger knows nobody of this table.",
            code="data.ledger",
            hint="Name the column that identified people before, with the same values; or publish other people "
            "without earlier releases and with a ledger of their own.",
        )


def refuse_changed_values(ledger: Ledger | None, seating: Seating | None) -> None:
    """Raise Unsatisfiable if people are shown with another value than before: together the releases would say
    something false, and what it reveals is not known."""
    if ledger is None or seating is None:
        return
    position = ledger.find_people(seating.people)
    changed = np.zeros(len(position), dtype=bool)
    for number in range(len(ledger.releases)):
        before = ledger.seating(number)
        for name, own in seating.values.items():
            if name in before.values:
                old = before.values[name].texts()[position]
                both = (position >= 0) & (seating.group >= 0) & (old != None)  # noqa: E711 - of each entry
                changed |= both & (old != own.texts())
    if changed.any():
        raise Unsatisfiable(
            f"{int(changed.sum())} people have a sensitive value that they were not shown with before.",
            code="unsatisfiable.changed",
            hint=f"Use append ({option('method', 'append')}), which keeps the seat of a changed value, or give a "
            "changed record a person of its own.",
            best="Publish the people whose values did not change.",
        )
