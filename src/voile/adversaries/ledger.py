"""Following people from one release to the next.

Only the publisher knows who is who. A table read with a column of `person` keeps it beside the rows, and no release
mentions it. What must be remembered from release to release is the list of values (the signature) that everybody was
shown with; it stands in a ledger, under pseudonyms that are keyed by a salt of the ledger. A ledger is as secret as the
table: it tells, for whoever can name a person, a few values of which one is theirs.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from voile.errors import DataError

Signature = tuple[str, ...]


class Ledger:
    """Who was shown with which values, release after release. `publish` reads it and adds to it; it reaches no release.

    >>> Ledger()
    Ledger(0 people in 0 releases)
    """

    def __init__(self) -> None:
        self.salt = secrets.token_bytes(32)
        self.releases: list[str] = []  # digests
        self.signatures: dict[str, Signature] = {}  # by pseudonym

    def __repr__(self) -> str:
        return f"Ledger({len(self.signatures)} people in {len(self.releases)} releases)"

    def pseudonym(self, person: str) -> str:
        return hashlib.blake2b(person.encode(), key=self.salt, digest_size=16).hexdigest()

    def signature(self, person: str) -> Signature | None:
        return self.signatures.get(self.pseudonym(person))

    def record(self, release: str, shown: Iterable[tuple[str, Signature]]) -> None:
        """After a release, named by its digest: whom it showed with which values."""
        self.releases.append(release)
        self.signatures.update((self.pseudonym(person), signature) for person, signature in shown)

    def check(self, earlier: Sequence[str]) -> None:
        """Raise DataError unless this is the ledger of exactly these releases, named by their digests."""
        if self.releases != list(earlier):
            raise DataError(
                f"The ledger is of {len(self.releases)} releases, and not of the {len(earlier)} that are named.",
                code="data.ledger",
                hint="Name all earlier releases, the first one first, with the ledger that was kept with them.",
            )

    def save(self, path: str | Path) -> Path:
        """Write it whole or not at all, for the owner's eyes only."""
        place = Path(path)
        lists = sorted(set(self.signatures.values()))
        number = {signature: at for at, signature in enumerate(lists)}
        people = {name: number[self.signatures[name]] for name in sorted(self.signatures)}
        body = {"format": 1, "salt": self.salt.hex(), "releases": self.releases, "signatures": lists, "people": people}
        fresh = place.with_name(f".{place.name}.partial")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
                json.dump(body, out)
            fresh.replace(place)
        except OSError as error:
            raise DataError(
                f"The ledger cannot be written to {place.name!r} ({error.strerror}).",
                code="data.ledger",
                hint="Check the space and the rights there.",
            ) from None
        return place

    @staticmethod
    def read(path: str | Path) -> Ledger:
        """A ledger from its file."""
        found = Ledger()
        try:
            body = json.loads(Path(path).read_text(encoding="utf-8"))
            lists = [tuple(map(str, signature)) for signature in body["signatures"]]
            found.salt, found.releases = bytes.fromhex(body["salt"]), list(map(str, body["releases"]))
            found.signatures = {str(name): lists[number] for name, number in body["people"].items()}
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise DataError(
                f"The ledger {Path(path).name!r} cannot be read.",
                code="data.ledger",
                hint="Name the file that an earlier publication wrote.",
            ) from None
        return found
