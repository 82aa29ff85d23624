"""The ledger, which follows people from one release to the next.

Only the publisher knows who is who. A table that is read with a `person` column keeps it beside the rows, and no
release mentions it. From release to release the publisher must remember the list of values (the signature) that each
person was shown with. The ledger holds these lists under pseudonyms that are keyed by the ledger's salt. A ledger is as
secret as the table: anybody who can name a person learns from it a few values, one of which is that person's.
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
    """The values that each person was shown with, release after release. `publish` reads the ledger and adds to it; no
    release contains any of it.

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
        """Return the name under which the ledger lists a person."""
        return hashlib.blake2b(person.encode(), key=self.salt, digest_size=16).hexdigest()

    def signature(self, person: str) -> Signature | None:
        """Return the values that a person was shown with, or None for a new person."""
        return self.signatures.get(self.pseudonym(person))

    def record(self, release: str, shown: Iterable[tuple[str, Signature]]) -> None:
        """Record a new release, named by its digest, and the values that it showed each person with."""
        self.releases.append(release)
        self.signatures.update((self.pseudonym(person), signature) for person, signature in shown)

    def check(self, earlier: Sequence[str]) -> None:
        """Raise DataError unless this ledger belongs to exactly these releases, named by their digests."""
        if self.releases != list(earlier):
            raise DataError(
                f"The ledger belongs to {len(self.releases)} releases, not to the {len(earlier)} that are named.",
                code="data.ledger",
                hint="Name all earlier releases, oldest first, together with the ledger that was kept with them.",
            )

    def save(self, path: str | Path) -> Path:
        """Write the ledger completely or not at all, readable by its owner only."""
        target = Path(path)
        lists = sorted(set(self.signatures.values()))
        positions = {signature: position for position, signature in enumerate(lists)}
        people = {name: positions[self.signatures[name]] for name in sorted(self.signatures)}
        body = {"format": 1, "salt": self.salt.hex(), "releases": self.releases, "signatures": lists, "people": people}
        partial = target.with_name(f".{target.name}.partial")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(
                os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
            ) as out:
                json.dump(body, out)
            partial.replace(target)
        except OSError as error:
            raise DataError(
                f"The ledger cannot be written to {target.name!r} ({error.strerror}).",
                code="data.ledger",
                hint="Check the free space and the permissions there.",
            ) from None
        return target

    @staticmethod
    def read(path: str | Path) -> Ledger:
        """Read a ledger from its file."""
        ledger = Ledger()
        try:
            body = json.loads(Path(path).read_text(encoding="utf-8"))
            lists = [tuple(map(str, signature)) for signature in body["signatures"]]
            ledger.salt, ledger.releases = bytes.fromhex(body["salt"]), list(map(str, body["releases"]))
            ledger.signatures = {str(name): lists[number] for name, number in body["people"].items()}
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise DataError(
                f"The ledger {Path(path).name!r} cannot be read.",
                code="data.ledger",
                hint="Name the file that an earlier publication wrote.",
            ) from None
        return ledger
