"""What a checker may hold beside the release. `verify` never answers beyond it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voile.adversaries.ledger import Ledger
from voile.adversaries.prior import Prior
from voile.releases.certificate import Certificate
from voile.releases.release import Release
from voile.tables.microdata import Microdata


@dataclass(frozen=True, eq=False)
class Evidence:
    """Statistics that an adversary is taken to know, earlier releases of the same people, and what only the publisher
    has: the table, the ledger of who was shown with which values, and the means to publish the release again."""

    priors: tuple[Prior, ...] = ()
    earlier: tuple[Release, ...] = ()
    data: Microdata | None = None
    ledger: Ledger | None = None
    republish: Callable[[Certificate], Release] | None = None

    def prior(self, digest: object) -> Prior | None:
        """The prior with this digest, if it is at hand."""
        return next((prior for prior in self.priors if prior.digest == digest), None)

    def releases(self, named: Sequence[Release | str]) -> tuple[Release, ...] | None:
        """The earlier releases that a claim names, by digest; None where one is not at hand."""
        at_hand = {release.digest: release for release in self.earlier}
        wanted = [name if isinstance(name, str) else name.digest for name in named]
        return tuple(at_hand[name] for name in wanted) if all(name in at_hand for name in wanted) else None


NOTHING = Evidence()
