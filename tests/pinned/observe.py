"""What is looked at of every release: its tables and documents, and what verify, audit and measure answer."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pinned.prose import digest, folded, plain, stripped

import voile as vl

KEY = vl.Key(bytes(range(32)))
LIGHT = (
    vl.measures.Alteration(),
    vl.measures.Certainty(),
    vl.measures.ClassSize(),
    vl.measures.Classification(max_depth=4),
    vl.measures.Discernibility(),
    vl.measures.Distortion(),
    vl.measures.Divergence(),
    vl.measures.QueryError(queries=100, repetitions=2),
)
Fields = dict[str, Any]


def refusals(work: Callable[[], Fields]) -> Fields:
    """What the work finds, or which error it ends with: its class, its code, and those of its parts."""
    try:
        return work()
    except Exception as error:
        if not hasattr(error, "code"):
            raise
        parts = [part.code for part in getattr(error, "problems", ())]
        return {"refused": f"{type(error).__name__} {error.code}", **({"problems": parts} if len(parts) > 1 else {})}


def tables_of(release: Any) -> Fields:
    """A digest of each published table: columns, types, and rows in their order."""
    fields = {}
    for name in sorted(release.tables):
        table = release.tables[name]
        state = hashlib.sha256(repr([(column, str(kind)) for column, kind in table.schema.items()]).encode())
        state.update(table.cast(pl.String).write_csv().encode())
        fields[f"table {name}"] = f"{table.height} x {table.width} {state.hexdigest()[:24]}"
    return fields


def documents_of(release: Any) -> Fields:
    """Dictionary and certificate without prose."""
    certificate = stripped(release.certificate.as_json())
    return {
        "size": [release.people, release.groups, release.dictionary.get("withheld")],
        "dictionary": digest(stripped(release.dictionary)),
        "certificate": digest(certificate),
        "method": folded(certificate["method"]),
        **{f"claim {number}": folded(claim, 900) for number, claim in enumerate(certificate["claims"])},
    }


def verdict_of(verdict: Any) -> list[str]:
    """Each check by its first word, and the answer."""
    return [f"{check.what.split(' ')[0]}: {check.answer.value}" for check in verdict.checks]


def findings_of(found: Any) -> Fields:
    """What each attack reached, and how it is judged."""
    fields: Fields = {"audit": [found.passed, len(found.findings), len(found.notes)]}
    for number, finding in enumerate(found.findings):
        fields[f"attack {number:02} {finding.attack}"] = finding_of(finding.as_json(), finding.belief)
    return fields


def finding_of(told: Fields, belief: Any) -> Fields:
    """One finding in short: what is absent or empty is left out."""
    knows = told["adversary"]["knows"]
    short = {
        "column": told["column"],
        "limits": told["limits"],
        "worst": [told["worst"], told["worst_before"]],
        "mean": [told["mean"], told["mean_before"]],
        "baseline": told["baseline"],
        "spread": float(np.sum(np.square(belief.risk) * belief.people)),
        "people": told["people"],
        "knows": "+".join([*knows, str(told["adversary"]["excludes"])]),
        "judged": f"{'inside' if told['inside_the_promise'] else 'outside'} {'passed' if told['passed'] else 'broken'}",
        "promise of": told["claim"] and f"{told['claim']} {told['bound']}",
        "above": told["above_bound"],
        "presets": told["presets"],
        "details": told["details"],
        "levels": digest(stripped(told["at_risk"])) if told["at_risk"] else None,
    }
    return stripped({name: value for name, value in short.items() if value not in (None, "", [], {})})


def losses_of(losses: Any) -> Fields:
    """What each measure says."""
    fields = {}
    for loss in losses.items:
        told = stripped({"parts": loss.parts})["parts"]
        fields[f"measure {loss.measure}"] = [plain(loss.value), folded(told, 200)]
    return fields


def attacked(release: Any, data: Any) -> Fields:
    """All attacks that apply, with the table as register; one by one where together they end in an error."""

    def one(name: str) -> Fields:
        found = refusals(lambda: findings_of(vl.audit(release, data, [getattr(vl.attacks, name)()], external=data)))
        return {f"{name} alone, {field}": value for field, value in found.items()}

    found = refusals(lambda: findings_of(vl.audit(release, data, external=data)))
    if "refused" not in found:
        return found
    fields: Fields = {"audit with a register": found["refused"]}
    found = refusals(lambda: findings_of(vl.audit(release, data)))
    if "refused" not in found:
        return fields | found
    fields["audit without a register"] = found["refused"]
    for name in vl.attacks.__all__:
        fields |= one(name)
    return fields


def measured(release: Any, data: Any) -> Fields:
    """All measures; one by one where together they end in an error."""
    found = refusals(lambda: losses_of(vl.measure(data, release, LIGHT)))
    if "refused" not in found:
        return found
    fields = {}
    for one in LIGHT:
        told = refusals(lambda one=one: losses_of(vl.measure(data, release, [one])))
        fields |= {f"measure {one.name}": told["refused"]} if "refused" in told else told
    return fields


def looked_at(release: Any, data: Any, *, prior: Sequence[Any] = (), after: Sequence[Any] = ()) -> Fields:
    """All that is pinned of a release in memory."""
    fields = {**tables_of(release), **documents_of(release)}
    fields["verify"] = verdict_of(vl.verify(release, prior=prior, after=after))
    fields["verify by the publisher"] = verdict_of(vl.verify(release, prior=prior, after=after, data=data, key=KEY))
    return fields | attacked(release, data) | measured(release, data)


def saved_as(release: Any, format: str) -> Fields:
    """The release in a folder and back: the files, the digests of those without prose, the answers of verify."""
    with tempfile.TemporaryDirectory() as room:
        place = release.save(Path(room) / "out", format=format)
        files = sorted(path.name for path in place.iterdir())
        plain_files = {name: digest((place / name).read_text("utf-8")) for name in files if name.endswith(".csv")}
        again = vl.load(place)
        back = {f"loaded {name}": value for name, value in tables_of(again).items()}
        return {"files": files, "contents": plain_files, "verify folder": verdict_of(vl.verify(place)), **back}


def publishing(data: Callable[[], Any], policy: Any, method: Any = None, **more: Any) -> Callable[[], Fields]:
    """A case: a table published under a policy, which may be a function of the table (for what must be learned)."""

    def work() -> Fields:
        table = data()
        wanted = policy(table) if callable(policy) else policy
        wanted = wanted if isinstance(wanted, vl.Policy) else vl.Policy(wanted)
        release = vl.publish(table, wanted, method, key=KEY, **more)
        return looked_at(release, table, prior=wanted.priors())

    return lambda: refusals(work)
