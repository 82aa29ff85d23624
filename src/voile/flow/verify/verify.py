"""Verify: check a release or a published folder, and republish where only the publisher can tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from voile.adversaries.ledger import Ledger
from voile.adversaries.prior import Prior
from voile.engines.base import Engine
from voile.errors import SpecError, VoileError
from voile.flow.checking.check_folder import check_folder
from voile.flow.checking.check_release import check_release
from voile.flow.checking.load import load
from voile.methods.base import KeepsSeats, Method
from voile.models.abilities import LearnsFromTable
from voile.models.claimed_model import requested_model
from voile.models.evidence import Evidence
from voile.models.kinds import PriorModel
from voile.models.policy import Policy
from voile.plugins.registry import build_plugin, narrow_type
from voile.releases.certificate import Certificate
from voile.releases.release import Release
from voile.results import Verdict
from voile.tables.microdata import Microdata
from voile.tables.secret_key import Key
from voile.tables.unit import Unit

if TYPE_CHECKING:
    from voile.adversaries.private_file import PrivateFile
    from voile.io.release_folder.signature import SignerKey


def verify(
    release: Release | str | Path,
    *,
    prior: Prior | Sequence[Prior] = (),
    after: Sequence[Release | str | Path] = (),
    data: Microdata | None = None,
    key: Key | None = None,
    ledger: Ledger | None = None,
    engine: Engine | None = None,
    signer: str | Path | SignerKey | None = None,
    private: str | Path | None = None,
) -> Verdict:
    """Check a release, or a published folder: the files, the tables, and every claim.

    A folder needs no key, no data and no trust in its publisher. Answers HOLDS or BROKEN for each claim; NEEDS where a
    claim rests on statistics (`prior`), or on coins that only the publisher can draw again (`data` and `key`). `after`
    are earlier releases of the same people, and `ledger` the publisher's record of who sat in which group.
    With an `engine` (`Disk()`, `Spark()`) a folder larger than memory is checked piece by piece. `signer` is the public
    Ed25519 key, or its PEM file, of whoever should have signed the folder. `private` is the file that the publisher
    kept (`publish(..., private=...)`): it has the statistics, and the key to go with `data`.
    """
    from voile.adversaries.private_file import PrivateFile
    from voile.io.release_folder.signature import read_signer

    kept = PrivateFile.read(private) if private is not None else None

    def evidence(opened: Release) -> Evidence:
        return gather_evidence(opened, prior=prior, after=after, data=data, key=key, ledger=ledger, private=kept)

    if isinstance(release, Release):
        if signer is not None:
            raise SpecError(
                "Only a folder can be signed.", code="spec.signer", hint="Name the folder, or leave the signer out."
            )
        return check_release(release, evidence(release))
    signer_key = read_signer(signer) if isinstance(signer, (str, Path)) else signer
    return check_folder(Path(release), evidence, engine, signer_key)[0]


def gather_evidence(
    release: Release,
    *,
    prior: Prior | Sequence[Prior] = (),
    after: Sequence[Release | str | Path] = (),
    data: Microdata | None = None,
    key: Key | None = None,
    ledger: Ledger | None = None,
    private: PrivateFile | None = None,
) -> Evidence:
    """Collect what a checker has beside a release. With the table and the key, these are also the statistics that were
    learned from it, and the means to publish it again. DataError if the private file belongs to another release."""
    priors = (prior,) if isinstance(prior, Prior) else tuple(prior)
    if private is not None:
        priors, key = (*priors, *private.require(release.digest).priors), key or private.key
    earlier = tuple(load(item) if isinstance(item, (str, Path)) else item for item in after)
    if ledger is not None and earlier:
        ledger.check_beginning([*(before.digest for before in earlier), release.digest])
        for number, one in enumerate((*earlier, release)):
            ledger.check_values(number, one.tallies)
    if data is None or key is None:
        return Evidence(priors, earlier, data, ledger)
    return Evidence(
        (*priors, *_learn_again(release, data, key)), earlier, data, ledger, _republisher(data, key, earlier, ledger)
    )


def _learn_again(release: Release, data: Microdata, key: Key) -> list[Prior]:
    """Learn the statistics of the table as the publisher did; the key gives the same salt. Claims that cannot be read,
    or do not fit the table, are reported by the check."""
    priors: list[Prior] = []
    for claim in release.certificate.claims:
        with suppress(VoileError, KeyError, TypeError, ValueError):
            model = requested_model(claim)
            if isinstance(model, PriorModel) and isinstance(model, LearnsFromTable):
                asked = replace(model, prior=None)  # type: ignore[call-arg]
                priors += Policy(asked).learn(data.columns, data.draw(key).with_key(key)).priors()
    return priors


def _republisher(
    data: Microdata, key: Key, earlier: Sequence[Release], ledger: Ledger | None
) -> Callable[[Certificate], Release]:
    def republish(certificate: Certificate) -> Release:
        policy = Policy(*(requested_model(claim) for claim in certificate.claims))
        knobs = {name: value for name, value in certificate.method.items() if name != "name"}
        method = narrow_type(Method, build_plugin("methods", str(certificate.method["name"]), knobs))
        rows = max(Unit.parse(claim["unit"]).rows for claim in certificate.claims)
        table = replace(data, unit=replace(data.unit, rows=rows))
        past = _rewind(ledger, len(earlier)) if ledger is not None and isinstance(method, KeepsSeats) else None
        from voile.flow.publish.publish import publish  # most releases are verified without publishing again

        return publish(table, policy, method, key=key, after=earlier, ledger=past)

    return republish


def _rewind(ledger: Ledger, releases: int) -> Ledger:
    """Return a ledger as it was after its first releases."""
    past = Ledger()
    past.salt = ledger.salt
    for number in range(min(releases, len(ledger.releases))):
        past.record(ledger.releases[number], ledger.seating(number))
    return past
