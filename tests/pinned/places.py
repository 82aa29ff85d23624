"""Where the rows lie: in memory or on disk, whole or in parts; and the formats of a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pinned import tables
from pinned.observe import KEY, Fields, findings_of, looked_at, losses_of, refusals, saved_as, tables_of, verdict_of
from pinned.private import small_parts

import voile as vl

RARE = ("Cashier", "Cook")
EXAMPLES: dict[str, tuple[Any, Any]] = {
    "mondrian": (vl.KAnonymity(k=5), vl.Mondrian()),
    "mondrian, hierarchy": (vl.KAnonymity(k=5), vl.Mondrian(recoding="hierarchy")),
    "mondrian, values": (vl.Policy(vl.LDiversity(l=2), vl.TCloseness(t=0.6)), vl.Mondrian()),
    "full-domain": (vl.KAnonymity(k=5), vl.FullDomain(suppression=0.05)),
    "anatomy": (vl.LDiversity(l=3), vl.Anatomy()),
    "injector": (vl.LDiversity(l=2), vl.Injector()),
    "art": (vl.RRobustness(r=2, protect=RARE, protect_as="set", max_columns=2), vl.Art()),
    "art, greedy": (vl.RRobustness(r=2, protect=RARE, protect_as="set", max_columns=1), vl.Art(grouping="greedy")),
    "mask": (vl.MConfidentiality(m=2, protect=RARE), vl.Mask()),
    "decompose": (vl.MultiDiversity({"occupation": 3}), vl.Decompose()),
    "perturbed-generalization": (vl.AntiCorruption(rho1=0.2, rho2=0.5), vl.PerturbedGeneralization()),
    "perturbed-generalization, specialization": (
        vl.AntiCorruption(growth=0.3),
        vl.PerturbedGeneralization(splitter="specialization"),
    ),
    "republish": (vl.MInvariance(m=3), vl.Republish()),
}
MEASURES = (vl.measures.Certainty(), vl.measures.ClassSize(), vl.measures.QueryError(queries=50, repetitions=1))


def _in_parts(policy: Any, method: Any) -> Fields:
    """In memory, but published part by part."""
    data = vl.read(tables.census_frame(), vl.Schema(quasi=tables.CENSUS, sensitive=["occupation"]))
    with small_parts():
        return looked_at(vl.publish(data, policy, method, key=KEY), data)


def _on_disk(policy: Any, method: Any, **schema: Any) -> Fields:
    """On disk and part by part, saved, and checked from the folder by the same engine."""
    with small_parts(), tempfile.TemporaryDirectory() as room:
        source = Path(room) / "people.parquet"
        tables.census_frame().write_parquet(source)
        data = vl.read(
            source, vl.Schema(quasi=tables.CENSUS, sensitive=["occupation"], **schema), engine=vl.Disk(memory="1GiB")
        )
        release = vl.publish(data, policy, method, key=KEY)
        fields = {**tables_of(release), "size": [release.people, release.groups]}
        place = release.save(Path(room) / "out")
        fields["verify"] = verdict_of(vl.verify(place, engine=vl.Disk()))
        again = vl.load(place, engine=vl.Disk())
        fields |= {f"loaded {name}": value for name, value in tables_of(again).items()}
        chosen = [vl.attacks.Linking()] + ([vl.attacks.Homogeneity()] if "table" in release.tables else [])
        fields |= refusals(lambda: findings_of(vl.audit(again, data, chosen)))
        return fields | refusals(lambda: losses_of(vl.measure(data, again, MEASURES)))


def _formats(format: str, policy: Any, method: Any) -> Callable[[], Fields]:
    def work() -> Fields:
        return saved_as(vl.publish(tables.hospital(), policy, method, key=KEY), format)

    return lambda: refusals(work)


def _shuffled(policy: Any, method: Any) -> Fields:
    """The same people in another order: what must not depend on it."""
    frame = tables.census_frame().reverse()
    data = vl.read(frame, vl.Schema(quasi=tables.CENSUS, sensitive=["occupation"]))
    turned = tables_of(vl.publish(data, policy, method, key=KEY))
    usual = tables_of(vl.publish(tables.census(), policy, method, key=KEY))
    return {**turned, "as in the usual order": turned == usual}


def _from_csv(text: str, **reading: Any) -> Callable[[], Fields]:
    def work() -> Fields:
        with tempfile.TemporaryDirectory() as room:
            source = Path(room) / "people.csv"
            source.write_bytes(text.encode(reading.get("encoding", "utf8")))
            data = vl.read(source, vl.Schema(quasi=["âge", "city"], sensitive=["disease"]), **reading)
            return tables_of(vl.publish(data, vl.KAnonymity(k=2), key=KEY))

    return lambda: refusals(work)


def cases() -> dict[str, Any]:
    rows = tables.tiny_frame().iter_rows()
    text = "âge,city,disease\n" + "".join(f"{age},{city},{disease}\n" for age, city, disease in rows)
    k5, l3 = vl.KAnonymity(k=5), vl.LDiversity(l=3)
    found: dict[str, Any] = {}
    for name, (policy, method) in EXAMPLES.items():
        found[f"parts, {name}"] = lambda p=policy, m=method: refusals(lambda: _in_parts(p, m))
        found[f"disk, {name}"] = lambda p=policy, m=method: refusals(lambda: _on_disk(p, m))
        found[f"other order, {name}"] = lambda p=policy, m=method: refusals(lambda: _shuffled(p, m))
    found["disk, person"] = lambda: refusals(lambda: _on_disk(k5, None, person="race"))
    found["disk, declared domain"] = lambda: refusals(
        lambda: _on_disk(k5, None, domains={"gender": ["Male", "Female", "Other"]})
    )
    for format in ("csv", "parquet", "xlsx"):
        found[f"folder, {format}, mondrian"] = _formats(format, k5, vl.Mondrian())
        found[f"folder, {format}, anatomy"] = _formats(format, l3, vl.Anatomy())
    found["folder, csv, republish"] = _formats("csv", vl.MInvariance(m=3), vl.Republish())
    found["folder, csv, decompose"] = _formats("csv", vl.MultiDiversity({"disease": 3}), vl.Decompose())
    found["folder, csv, sampled"] = _formats("csv", vl.AntiCorruption(growth=0.3, skew=0.5), None)
    found["read, csv"] = _from_csv(text)
    found["read, semicolons"] = _from_csv(text.replace(",", ";"), delimiter=";")
    found["read, guessed delimiter"] = _from_csv(text.replace(",", "\t"))
    found["read, latin1"] = _from_csv(text, encoding="latin1")
    found["read, null values"] = _from_csv(text.replace("gout", "?"), null_values=["?"])
    found["read, ragged"] = _from_csv(text + "1,2,3,4,5\n")
    found["read, empty"] = _from_csv("âge,city,disease\n")
    return found
