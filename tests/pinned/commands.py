"""The commands publish, verify, audit, measure and report with --json: exit codes, and answers without prose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from pinned.observe import Fields
from pinned.terminal import BASE, K5, KEY, L3, MADE, ROLES, answer, called, case, room


def _tampered(change: Callable[[Path], None]) -> Callable[[], Fields]:
    """What verify says of a folder that was changed."""

    def work() -> Fields:
        with room():
            called(*BASE)
            change(Path("out"))
            return {f"{name} {field}": value for name in ("verify", "audit") for field, value in _said(name).items()}

    return work


def _said(name: str) -> Fields:
    return answer((name, "out"))


def _edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(place: Path) -> None:
        path = place / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    return change


def _published() -> dict[str, Any]:
    trees = ("hierarchies", "people.csv", "--quasi", "birth,zip", "--recipe", "zip=prefixes:2", "--out", "trees")
    two = ("publish", "people.csv", "--out", "out", "--quasi", "birth,sex", "--sensitive", "disease,ward", *KEY)
    return {
        "publish": case((*MADE, *K5), shown=True),
        "publish, csv": case(BASE, shown=True),
        "publish, spec": case(("publish", "people.csv", "--out", "out", "--spec", "spec.toml", *KEY), shown=True),
        "publish, spec and flags": case((*MADE, "--spec", "spec.toml", *K5, "--method", "mondrian"), shown=True),
        "publish, anatomy": case((*MADE, *L3, "--method", "anatomy"), shown=True),
        "publish, method with knobs": case((*MADE, *K5, "--method", "full-domain:suppression=0.05"), shown=True),
        "publish, art": case((*MADE, "--model", "r-robustness:r=2,protect=HIV infection|Asthma"), shown=True),
        "publish, mask": case((*MADE, "--model", "m-confidentiality:m=2,protect=HIV infection"), shown=True),
        "publish, two columns": case((*two, "--model", "multi-diversity:disease=3,ward=2"), shown=True),
        "publish, sampled": case((*MADE, "--model", "anti-corruption:rho1=0.2,rho2=0.6"), shown=True),
        "publish, kinds and domains": case(
            (*MADE, *K5, "--kind", "zip=ordered", "--domain", "sex=Female|Male|Other", "--other", "ward"), shown=True
        ),
        "publish, hierarchies": case(
            trees, (*MADE, *K5, "--hierarchies", "trees", "--method", "mondrian:recoding=hierarchy"), shown=True
        ),
        "publish, disk": case((*MADE, *K5, "--engine", "disk", "--memory", "2GiB"), shown=True),
        "publish, republish": case(
            (*MADE, "--model", "m-invariance:m=3", "--person", "name", "--ledger", "book"),
            (
                *("publish", "people.csv", "--out", "next", *ROLES, *KEY, "--model", "m-invariance:m=3"),
                *("--person", "name", "--ledger", "book", "--after", "out"),
            ),
            shown=True,
        ),
        "publish twice": case((*MADE, *K5), (*MADE, *K5)),
        "publish twice, force": case((*MADE, *K5), (*MADE, *L3, "--force"), shown=True),
        "publish, unknown column": case((*MADE[:5], "town", *MADE[6:], *K5)),
        "publish, no model": case(MADE),
        "publish, unknown model": case((*MADE, "--model", "k-anonimity:k=5")),
        "publish, wrong knob": case((*MADE, "--model", "k-anonymity:k=one")),
        "publish, unknown knob": case((*MADE, "--model", "k-anonymity:q=5")),
        "publish, unknown method": case((*MADE, *K5, "--method", "magic")),
        "publish, wrong format": case((*MADE, *K5, "--format", "xlsx")),
        "publish, wrong engine": case((*MADE, *K5, "--engine", "steam")),
        "publish, wrong memory": case((*MADE, *K5, "--engine", "disk", "--memory", "1K")),
        "publish, wrong missing": case((*MADE, *K5, "--missing", "guess")),
        "publish, wrong kind": case((*MADE, *K5, "--kind", "zip")),
        "publish, no such file": case(("publish", "none.csv", "--out", "out", *ROLES, *K5)),
        "publish, no such spec": case(("publish", "people.csv", "--out", "out", "--spec", "none.toml")),
        "publish, no such key": case(("publish", "people.csv", "--out", "out", *ROLES, *K5, "--key-file", "none")),
        "publish, out of reach": case((*MADE, "--model", "l-diversity:l=13")),
        "publish, unknown flag": case((*MADE, *K5, "--colour", "blue")),
        "publish, no out": case(("publish", "people.csv", *ROLES, *K5)),
        "publish, several faults": case((*MADE, "--model", "k-anonymity:k=0", "--method", "art:mode=fast")),
        "no such command": case(("conceal",)),
    }


def _checked() -> dict[str, Any]:
    data, sampled = ("--data", "people.csv"), (*MADE, "--model", "anti-corruption:rho1=0.2,rho2=0.6")
    prior = ("prior", "people.csv", "--quasi", "sex", "--sensitive", "disease", "--out", "known.csv")
    robust = (*MADE, "--model", "r-robustness:r=2,protect=HIV infection,prior=known.csv")
    attacks = ("--attack", "linking", "--attack", "elimination:values=2")
    return {
        "verify": case(BASE, ("verify", "out")),
        "verify, parquet": case((*MADE, *K5), ("verify", "out")),
        "verify, coins": case(sampled, ("verify", "out")),
        "verify, coins shown": case(sampled, ("verify", "out", *data, *KEY)),
        "verify, statistics": case(prior, robust, ("verify", "out")),
        "verify, statistics given": case(prior, robust, ("verify", "out", "--prior", "known.csv")),
        "verify, no such folder": case(("verify", "none")),
        "verify, a row less": _tampered(lambda place: _shorter(place / "table.csv")),
        "verify, a certificate without claims": _tampered(_edit("certificate.json", '"claims"', '"clams"')),
        "verify, a greater k": _tampered(_edit("certificate.json", '"k": 5', '"k": 6')),
        "verify, another bound": _tampered(_edit("certificate.json", '"1/5"', '"1/6"')),
        "verify, no JSON": _tampered(_edit("certificate.json", "{", "")),
        "verify, another format": _tampered(_edit("certificate.json", '"format": 3', '"format": 9')),
        "verify, another dictionary": _tampered(_edit("dictionary.json", "Female", "Femal")),
        "verify, no dictionary": _tampered(lambda place: (place / "dictionary.json").unlink()),
        "verify, a file more": _tampered(lambda place: _written(place / "more.txt")),
        "verify, an empty folder": _tampered(_emptied),
        "audit": case(BASE, ("audit", "out")),
        "audit, data": case(BASE, ("audit", "out", *data)),
        "audit, attacks": case(BASE, ("audit", "out", *attacks, "--external", "people.csv")),
        "audit, adversary": case(BASE, ("audit", "out", *data, "--adversary", "insurer")),
        "audit, corrupted": case(BASE, ("audit", "out", "--corrupted", "people.csv")),
        "audit, unknown attack": case(BASE, ("audit", "out", "--attack", "linkin")),
        "audit, wrong knob": case(BASE, ("audit", "out", "--attack", "elimination:values=0")),
        "audit, unknown adversary": case(BASE, ("audit", "out", "--adversary", "nobody")),
        "audit, no such data": case(BASE, ("audit", "out", "--data", "none.csv")),
        "measure": case(BASE, ("measure", "out", *data)),
        "measure, some": case(BASE, ("measure", "out", *data, "--measure", "query-error:queries=50,repetitions=1")),
        "measure, sampled": case(sampled, ("measure", "out", *data)),
        "measure, wrong knob": case(BASE, ("measure", "out", *data, "--measure", "query-error:queries=-5")),
        "measure, unknown": case(BASE, ("measure", "out", *data, "--measure", "beauty")),
        "measure, no data": case(BASE, ("measure", "out")),
        "report": case(BASE, ("report", "out", *data)),
        "report, alone": case(BASE, ("report", "out", "--out", "page.html")),
        "report, no page": case(BASE, ("report", "out", "--out", "page.pdf")),
    }


def _shorter(path: Path) -> None:
    pl.read_csv(path, infer_schema=False).slice(1).write_csv(path)


def _written(path: Path) -> None:
    path.write_text("more")


def _emptied(place: Path) -> None:
    for path in place.iterdir():
        path.unlink()


def cases() -> dict[str, Any]:
    return _published() | _checked()
