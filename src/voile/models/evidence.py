"""The evidence that a checker may have besides the release. `verify` never claims more than it supports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voile.adversaries.ledger import Ledger
from voile.adversaries.prior import Prior
from voile.adversaries.seating import Seating
from voile.plugins.counted_nouns import name_earlier
from voile.releases.certificate import Certificate
from voile.releases.release import Release
from voile.tables.microdata import Microdata


@dataclass(frozen=True, eq=False)
class Evidence:
    """The statistics that an adversary is assumed to know, the earlier releases of the same people, and what only the
    publisher has: the table, the ledger, the means to publish the release again, and who sits where in a release that
    is not in the ledger yet."""

    priors: tuple[Prior, ...] = ()
    earlier: tuple[Release, ...] = ()
    data: Microdata | None = None
    ledger: Ledger | None = None
    republish: Callable[[Certificate], Release] | None = None
    seating: Seating | None = None

    def prior(self, digest: object) -> Prior | None:
        """Return the prior with this digest, if the checker has it."""
        return next((prior for prior in self.priors if prior.digest == digest), None)

    def seatings(self, digests: Sequence[str]) -> list[Seating] | None:
        """Return who sits where in these releases, oldest first; None if the checker does not know it."""
        if self.ledger is None:
            return None
        known = self.ledger.releases
        if known[: len(digests)] == list(digests):
            return [self.ledger.seating(number) for number in range(len(digests))]
        if self.seating is not None and known == list(digests[:-1]):
            return [*(self.ledger.seating(number) for number in range(len(known))), self.seating]
        return None

    def releases(self, references: Sequence[Release | str]) -> tuple[Release, ...] | None:
        """Return the earlier releases that a claim names by digest, or None if the checker lacks one of them."""
        releases_by_digest = {release.digest: release for release in self.earlier}
        digests = [reference if isinstance(reference, str) else reference.digest for reference in references]
        if any(digest not in releases_by_digest for digest in digests):
            return None
        return tuple(releases_by_digest[digest] for digest in digests)

    def name_missing(self, references: Sequence[Release | str]) -> str:
        """Say that earlier releases which a claim names are not at hand."""
        others = " Those that were given are others." if self.earlier else ""
        return f"Needs {name_earlier(len(references))} that it names.{others}"


NOTHING = Evidence()
