"""What a checker may hold beside the release. `verify` never answers beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voile.core.key import Key
    from voile.core.microdata import Microdata
    from voile.core.prior import Prior
    from voile.core.release import Release


@dataclass(frozen=True, eq=False)
class Evidence:
    """Statistics that an adversary is taken to know, earlier releases of the same people, and what only the publisher
    has: the table and the key."""

    priors: tuple[Prior, ...] = ()
    earlier: tuple[Release, ...] = ()
    data: Microdata | None = None
    key: Key | None = None

    def prior(self, digest: object) -> Prior | None:
        """The prior with this digest, if it is at hand."""
        return next((prior for prior in self.priors if prior.digest == digest), None)


NOTHING = Evidence()
