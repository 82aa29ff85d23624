"""Honest release folders of every shape, each of a few dozen people, from which forgeries are made."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import voile as vl
from forging.parquet_bytes import to_bytes
from forging.steered_folders import BOTH, K3, WISHES, publish_next, publish_wish

KEY = vl.Key(bytes(range(32)))
DISEASES = ["flu", "HIV", "acne", "gout", "mumps", "polio"]
WARDS = ["east", "north", "south", "west"]


@dataclass(frozen=True)
class HonestFolder:
    """How to publish a folder, and the answer that verify gives about it."""

    publish: Callable[[Path, str], None]
    answer: str = "HOLDS"
    formats: tuple[str, ...] = ("parquet", "csv")


def hospital(rows: int = 36, seed: int = 1) -> pl.DataFrame:
    """A small table with a number, a category, a code, a date, truth values and two sensitive columns."""
    rng = np.random.default_rng(seed)
    start = datetime.date(1990, 1, 15)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "city": rng.choice(["Bern", "Lyon", "Oslo"], rows),
            "zip": rng.choice(["10115", "10117", "20095", "20099"], rows),
            "birth": [start + datetime.timedelta(int(day)) for day in rng.integers(0, 4000, rows)],
            "smoker": rng.choice([True, False], rows),
            "disease": rng.permutation(np.resize(DISEASES, rows)),
            "ward": rng.permutation(np.resize(WARDS, rows)),
            "stay": rng.integers(1, 9, rows),
            "share": rng.integers(1, 8, rows) / 4,
        }
    )


def _publisher(
    frame: pl.DataFrame, roles: dict[str, Any], policy: Any, method: Any, engine: Any = None
) -> Callable[[Path, str], None]:
    """Return a function that publishes the table into a folder."""

    def publish(folder: Path, form: str) -> None:
        data = vl.read(frame, vl.Schema(**roles))
        vl.publish(data, policy, method, key=KEY).save(folder, format=form)

    def publish_from_disk(folder: Path, form: str) -> None:
        source = folder.with_name(folder.name + ".source.parquet")
        frame.write_parquet(source)
        data = vl.read(source, vl.Schema(**roles), engine=engine())
        vl.publish(data, policy, method, key=KEY).save(folder, format=form)
        source.unlink()

    return publish if engine is None else publish_from_disk


def _with_gaps(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave every seventh cell of two columns empty."""
    gaps = pl.int_range(pl.len()) % 7 == 3
    return frame.with_columns(pl.when(~gaps).then(pl.col(name)).alias(name) for name in ("age", "city"))


def _generalized() -> dict[str, HonestFolder]:
    frame = hospital()
    k3, both = vl.KAnonymity(k=3), vl.Policy(vl.KAnonymity(k=3), vl.LDiversity(l=2))
    plain = {"quasi": ["age", "city"], "sensitive": ["disease"]}
    trees = {"age": vl.intervals(5, 10, 20, 40), "zip": vl.prefixes(5, 3, 1)}
    sick = {"viral": ["flu", "HIV", "mumps", "polio"], "other": ["acne", "gout"]}
    events = pl.concat([frame, frame.with_columns(disease=pl.col("disease").reverse())]).with_columns(
        patient=pl.int_range(2 * frame.height) % frame.height
    )
    coarse = frame.with_columns(age=pl.col("age") // 20 * 20)
    return {
        "mondrian": HonestFolder(_publisher(frame, plain, both, vl.Mondrian())),
        "mondrian, exact": HonestFolder(
            _publisher(
                coarse, {"quasi": ["age", "smoker"], "sensitive": ["disease"]}, vl.KAnonymity(k=2), vl.Mondrian()
            )
        ),
        "mondrian, hierarchy": HonestFolder(
            _publisher(
                frame,
                {"quasi": ["age", "zip"], "sensitive": ["disease"], "hierarchies": {**trees, "disease": vl.tree(sick)}},
                vl.Policy(k3, vl.TCloseness(t=0.6, distance="hierarchical")),
                vl.Mondrian(recoding="hierarchy"),
            )
        ),
        "mondrian, dates": HonestFolder(
            _publisher(
                frame,
                {"quasi": ["birth", "city"], "sensitive": ["disease", "ward"], "other": ["stay", "zip"]},
                both,
                vl.Mondrian(),
            )
        ),
        "mondrian, missing": HonestFolder(
            _publisher(_with_gaps(frame), {**plain, "missing": "value"}, both, vl.Mondrian())
        ),
        "mondrian, weight": HonestFolder(_publisher(frame, {**plain, "weight": "share"}, k3, vl.Mondrian())),
        "mondrian, people": HonestFolder(
            _publisher(
                events,
                {**plain, "person": "patient", "rows_per_person": 2},
                vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2)),
                vl.Mondrian(),
            )
        ),
        "mondrian, numbers": HonestFolder(
            _publisher(
                frame,
                {"quasi": ["age", "city"], "sensitive": ["stay"]},
                vl.Policy(vl.AlphaK(alpha=0.7, k=3), vl.KE(k=3, e=2)),
                vl.Mondrian(),
            )
        ),
        "mondrian, disk": HonestFolder(_publisher(frame, plain, both, vl.Mondrian(), vl.Disk), formats=("parquet",)),
        "full-domain": HonestFolder(
            _publisher(
                frame,
                {
                    "quasi": ["age", "zip", "birth"],
                    "sensitive": ["disease"],
                    "hierarchies": {**trees, "birth": vl.dates()},
                },
                k3,
                vl.FullDomain(suppression=0.2),
            )
        ),
        "mask": HonestFolder(_publisher(frame, plain, vl.MConfidentiality(m=2, protect=("HIV",)), vl.Mask()), "NEEDS"),
    }


def _publish_again(frame: pl.DataFrame, roles: dict[str, Any]) -> Callable[[Path, str], None]:
    """Return a function that publishes a table after people have left it and others have come."""

    def publish(folder: Path, form: str) -> None:
        whole, ledger = frame.with_columns(patient=pl.int_range(pl.len())), vl.Ledger()
        before = vl.read(whole.head(24), vl.Schema(**roles))
        first = vl.publish(before, vl.MInvariance(m=2), key=KEY, ledger=ledger)
        now = vl.read(whole.filter(pl.col("patient") % 5 != 1), vl.Schema(**roles))
        both = vl.Policy(vl.MInvariance(m=2), vl.Sequential(vl.LDiversity(l=2)))
        vl.publish(now, both, key=KEY, after=[first], ledger=ledger).save(folder, format=form)

    return publish


def _publish_after(frame: pl.DataFrame, roles: dict[str, Any]) -> Callable[[Path, str], None]:
    """Return a function that publishes the same table a second time, judged together with the first."""

    def publish(folder: Path, form: str) -> None:
        data, ledger = vl.read(frame.with_columns(patient=pl.int_range(pl.len())), vl.Schema(**roles)), vl.Ledger()
        first = vl.publish(data, vl.LDiversity(l=2), key=KEY, ledger=ledger)
        vl.publish(data, vl.LDiversity(l=2), key=KEY, after=[first], ledger=ledger).save(folder, format=form)

    return publish


def _linked() -> dict[str, HonestFolder]:
    frame = hospital()
    plain = {"quasi": ["age", "city"], "sensitive": ["disease"]}
    rare = frame.with_columns(
        disease=pl.when(pl.int_range(pl.len()) % 9 == 4).then(pl.lit("HIV")).otherwise(pl.lit("flu"))
    )
    robust = vl.RRobustness(r=2, protect=("HIV",))
    rare_set = vl.RRobustness(r=2, protect=("HIV", "polio"), protect_as="set")
    followed = {**plain, "person": "patient"}
    two = {"quasi": ["age", "city"], "sensitive": ["disease", "ward"]}
    lists = vl.MultiDiversity({"disease": 3, "ward": 2})
    colleague = vl.MultiDiversity({"disease": 2, "ward": 2}, knowing=1, excluding=1, slack=0.15)
    return {
        "anatomy": HonestFolder(_publisher(frame, plain, vl.LDiversity(l=3), vl.Anatomy())),
        "anatomy, dates": HonestFolder(
            _publisher(
                _with_gaps(frame),
                {"quasi": ["birth", "age", "smoker"], "sensitive": ["stay"], "missing": "value"},
                vl.Policy(vl.LDiversity(l=2), vl.LDiversity(l=2, form="distinct")),
                vl.Anatomy(),
            )
        ),
        "anatomy, two models": HonestFolder(
            _publisher(frame, plain, vl.Policy(vl.LDiversity(l=3), vl.MultiDiversity({"disease": 3})), vl.Anatomy())
        ),
        "anatomy, recursive": HonestFolder(
            _publisher(
                frame,
                plain,
                vl.Policy(
                    vl.LDiversity(l=3),
                    vl.LDiversity(l=2, form="recursive", c=2.0),
                    vl.LDiversity(l=2, form="entropy"),
                ),
                vl.Anatomy(),
            )
        ),
        "injector": HonestFolder(_publisher(frame, plain, vl.LDiversity(l=2), vl.Injector())),
        "art": HonestFolder(_publisher(rare, plain, robust, vl.Art()), "NEEDS"),
        "art, indicator": HonestFolder(_publisher(frame, plain, rare_set, vl.Art(publish="indicator")), "NEEDS"),
        "capped counts": HonestFolder(_publisher(frame, plain, rare_set, vl.CappedCounts(min_group=6)), "NEEDS"),
        "decompose": HonestFolder(_publisher(frame, two, lists, vl.Decompose())),
        "decompose, apart": HonestFolder(_publisher(frame, two, lists, vl.Decompose(publish_joint=False))),
        "decompose, colleague": HonestFolder(_publisher(frame, two, vl.Policy(lists, colleague), vl.Decompose())),
        "perturbed": HonestFolder(
            _publisher(
                frame,
                plain,
                vl.AntiCorruption(rho1=0.2, rho2=0.5, skew=0.5),
                vl.PerturbedGeneralization(),
            ),
            "NEEDS",
        ),
        "perturbed, epsilon": HonestFolder(
            _publisher(
                frame,
                {**plain, "domains": {"disease": ["acne", "cold", *sorted(set(frame["disease"]) - {"acne", "cold"})]}},
                vl.LabelDifferentialPrivacy(epsilon=2.0),
                vl.PerturbedGeneralization(s=0.25),
            ),
            "NEEDS",
        ),
        "republish": HonestFolder(
            _publisher(
                frame.with_columns(patient=pl.int_range(pl.len())), followed, vl.MInvariance(m=2), vl.Republish()
            )
        ),
        "republish, later": HonestFolder(_publish_again(frame, followed), "NEEDS"),
        "mondrian, later": HonestFolder(_publish_after(frame, followed), "NEEDS"),
    }


def _steered() -> dict[str, HonestFolder]:
    frame = hospital()
    found = {name: HonestFolder(publish_wish(frame, wish)) for name, wish in WISHES.items()}
    append = {"append": BOTH, "append, sizes": K3}
    return {**found, **{name: HonestFolder(publish_next(frame, policy), "NEEDS") for name, policy in append.items()}}


HONEST_FOLDERS = {**_generalized(), **_linked(), **_steered()}


NUMBERED = "mondrian, numbered.parquet"
ANSWERS = {
    **{f"{name}.{form}": honest.answer for name, honest in HONEST_FOLDERS.items() for form in honest.formats},
    NUMBERED: "HOLDS",
}


def _number_files(folder: Path) -> None:
    """Cut the table into three files, as a cluster writes it."""
    table = pl.read_parquet(folder / "table.parquet").with_columns(pl.col(pl.Enum).cast(pl.String))
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    del certificate["files"]["table.parquet"]
    for number in range(3):
        name = f"table.{number:05d}.parquet"
        (folder / name).write_bytes(to_bytes(table[number * 12 : (number + 1) * 12]))
        certificate["files"][name] = "sha256:" + hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "table.parquet").unlink()
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")


def publish_all(root: Path) -> dict[str, Path]:
    """Publish every folder in each of its formats; return the folders by name and format."""
    folders: dict[str, Path] = {}
    for name, honest in HONEST_FOLDERS.items():
        for form in honest.formats:
            folder = root / f"{name}.{form}"
            honest.publish(folder, form)
            folders[f"{name}.{form}"] = folder
    numbered = root / NUMBERED
    shutil.copytree(folders["mondrian.parquet"], numbered)
    _number_files(numbered)
    return {**folders, numbered.name: numbered}
