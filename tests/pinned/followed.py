"""Releases after releases: the same people again, with and without a ledger."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from pinned import tables
from pinned.observe import KEY, Fields, looked_at, refusals, tables_of, verdict_of

import voile as vl

SCHEMA = vl.Schema(person="patient", quasi=["age", "city"], sensitive=["disease"])
QUARTERS = (range(120), range(30, 140), range(10, 160))


def _read(ids: range) -> Any:
    return vl.read(tables.followed(ids), SCHEMA)


def _three(m: int) -> Fields:
    """Three quarters under m-invariance; everything is looked at in the last."""
    ledger, made, fields = vl.Ledger(), [], {}
    for number, ids in enumerate(QUARTERS):
        release = vl.publish(_read(ids), vl.MInvariance(m=m), key=KEY, after=made, ledger=ledger)
        fields |= {f"quarter {number} {name}": value for name, value in tables_of(release).items()}
        made.append(release)
    data, earlier = _read(QUARTERS[-1]), made[:-1]
    fields["verify without ledger"] = verdict_of(vl.verify(made[-1], after=earlier))
    fields["verify with ledger"] = verdict_of(vl.verify(made[-1], after=earlier, data=data, ledger=ledger))
    fields["verify without the earlier ones"] = verdict_of(vl.verify(made[-1]))
    with tempfile.TemporaryDirectory() as room:
        kept = vl.Ledger.read(ledger.save(Path(room) / "ledger"))
        fields["verify with the ledger from a file"] = verdict_of(
            vl.verify(made[-1], after=earlier, data=data, ledger=kept)
        )
        places = [one.save(Path(room) / f"r{number}") for number, one in enumerate(made)]
        fields["verify folders"] = verdict_of(vl.verify(places[-1], after=places[:-1]))
    return fields | looked_at(made[-1], data, after=earlier)


def _second(policy: Any, method: Any = None, *, first: Any = None, **more: Any) -> Callable[[], Fields]:
    """Two releases of overlapping people, the second after the first."""

    def work() -> Fields:
        before = vl.publish(_read(QUARTERS[0]), first or policy, method, key=KEY)
        data = _read(QUARTERS[1])
        after = vl.publish(data, policy, method, key=vl.Key(bytes(32)), after=[before], **more)
        return looked_at(after, data, after=[before])

    return lambda: refusals(work)


def _again(policy: Any, method: Any, **more: Any) -> Callable[[], Fields]:
    """The very same release twice: together they say no more than one."""

    def work() -> Fields:
        data = _read(QUARTERS[0])
        before = vl.publish(data, policy, method, key=KEY)
        return looked_at(vl.publish(data, policy, method, key=KEY, after=[before], **more), data, after=[before])

    return lambda: refusals(work)


def _changed() -> Fields:
    """Somebody's disease has changed since the ledger was written."""
    ledger, frame = vl.Ledger(), tables.followed(QUARTERS[0])
    first = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), key=KEY, ledger=ledger)
    frame = frame.with_columns(disease=pl.when(pl.col("patient") == "p3").then(pl.lit("gout")).otherwise("disease"))
    second = vl.publish(vl.read(frame, SCHEMA), vl.MInvariance(m=3), key=KEY, after=[first], ledger=ledger)
    return tables_of(second)


def _other_ledger() -> Fields:
    first = vl.publish(_read(QUARTERS[0]), vl.MInvariance(m=3), key=KEY)
    return tables_of(vl.publish(_read(QUARTERS[1]), vl.MInvariance(m=3), key=KEY, after=[first], ledger=vl.Ledger()))


def _other_columns() -> Fields:
    first = vl.publish(tables.hospital(), vl.LDiversity(l=2), key=KEY)
    return tables_of(vl.publish(_read(QUARTERS[1]), vl.LDiversity(l=2), key=KEY, after=[first]))


def cases() -> dict[str, Any]:
    l2, k5 = vl.LDiversity(l=2), vl.KAnonymity(k=5)
    return {
        "m-invariance 2, three quarters": lambda: refusals(lambda: _three(2)),
        "m-invariance 3, three quarters": lambda: refusals(lambda: _three(3)),
        "m-invariance without a ledger": _second(vl.MInvariance(m=2)),
        "a ledger of others": lambda: refusals(_other_ledger),
        "a changed value": lambda: refusals(_changed),
        "other columns": lambda: refusals(_other_columns),
        "k-anonymity after": _second(k5, vl.Mondrian()),
        "l-diversity after, mondrian": _second(l2, vl.Mondrian()),
        "l-diversity after, anatomy": _second(l2, vl.Anatomy()),
        "l-diversity after, full-domain": _second(l2, vl.FullDomain(suppression=0.1)),
        "t-closeness after, mondrian": _second(vl.TCloseness(t=0.8), vl.Mondrian()),
        "sequential after": _second(vl.Sequential(l2), vl.Mondrian(), first=l2),
        "multi-diversity after": _second(vl.MultiDiversity({"disease": 2}), vl.Decompose()),
        "the same again, mondrian": _again(l2, vl.Mondrian()),
        "the same again, anatomy": _again(l2, vl.Anatomy()),
        "the same again, sequential": _again(vl.Sequential(l2), vl.Mondrian()),
    }
