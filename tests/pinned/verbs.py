"""What the other verbs answer: inspect, foresee, reach, distributions, budgets, estimates, statistics, comparisons."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from pinned import tables
from pinned.knobs import SHAPES, release
from pinned.methods import RARE
from pinned.observe import KEY, LIGHT, Fields, refusals
from pinned.prose import digest, folded, opened, plain, stripped

import voile as vl

MODELS = {
    "k": vl.KAnonymity(k=5),
    "l": vl.LDiversity(l=3),
    "distinct": vl.LDiversity(l=3, form="distinct"),
    "entropy": vl.LDiversity(l=3, form="entropy"),
    "recursive": vl.LDiversity(l=3, form="recursive", c=1.0),
    "t": vl.TCloseness(t=0.3),
    "alpha": vl.AlphaK(alpha=0.5, k=3),
    "ck": vl.CKSafety(),
    "personalized": vl.Personalized(nodes=RARE),
    "multi": vl.MultiDiversity({"disease": 3}),
    "r": vl.RRobustness(r=2),
    "m": vl.MInvariance(m=3),
    "out of reach": vl.LDiversity(l=400),
}
QUESTIONS: dict[str, list[Any]] = {
    "hospital": [
        {},
        {"sex": "Female"},
        {"zip": ["06000", "06100"], "sex": "Male"},
        {"disease": "Asthma"},
        {"disease": ["Asthma", "Influenza"], "sex": "Female"},
        "select count(*) from t where sex = 'Female' and disease in ('Asthma', 'Influenza')",
        "select count(*) from t where birth between '1950-01-01' and '1979-12-31'",
        "select count(*) from t where birth >= '1950-01-01' and sex = 'Male'",
        "select sum(cost) from t",
        {"town": "Nice"},
    ],
    "incomes": [{}, {"age": (30, 40)}, {"income": (0, 5), "gender": "Male"}, "select count(*) from t where age < 30"],
    "rates": [{}, {"age": (20, 22)}, {"disease": "HIV"}, {"disease": "HIV", "sex": "m"}],
    "tiny": [{}, {"age": (20, 32)}, {"disease": "flu", "city": "a"}],
}
ASKED = {"sampled": "incomes", "robust": "rates", "tiny": "tiny"}


def _estimates(shape: str) -> Fields:
    """Counts with their intervals and bounds; a question that cannot be asked ends in its error."""
    made, fields = release(shape)[1], {}
    for number, question in enumerate(QUESTIONS[ASKED.get(shape, "hospital")]):

        def answer(question: Any = question) -> Fields:
            keywords = question if isinstance(question, dict) else None
            count = made.count(**keywords) if keywords is not None else made.count(question)
            return {"answer": plain(count.as_json())}

        fields[f"question {number}"] = next(iter(refusals(answer).values()))
    return fields


def _distributions(shape: str) -> Fields:
    data, made = release(shape)
    found = {}
    for one in vl.distributions(data, made, bars=6):
        labels = [re.sub(r"^\d+ other values$", "rest", label) for label in one.labels]
        found[one.column] = [one.role, labels, list(one.before), stripped(list(one.after)), plain(one.moved)]
    return found


def _report(shape: str) -> Fields:
    """The page by what it is built of: its tables, rows and drawings; and its JSON without prose."""
    data, made = release(shape)
    page = vl.report(made, vl.audit(made, data), vl.measure(data, made, LIGHT[:3]), vl.verify(made))
    parts = {
        tag: len(re.findall(rf"<{tag}[ >]", page.html)) for tag in ("table", "tr", "td", "svg", "section", "script")
    }
    told = stripped(page.as_json())
    return {"page": parts, **{name: folded(value, 400) for name, value in told.items()}}


def _inspections() -> dict[str, Callable[[], Fields]]:
    frame, rows = tables.hospital_frame, tables.census_frame
    made: dict[str, Callable[[], Any]] = {
        "hospital": lambda: vl.inspect(frame()),
        "census": lambda: vl.inspect(rows()),
        "schema": lambda: vl.inspect(frame(), vl.Schema(quasi=["birth", "sex"])),
        "columns": lambda: vl.inspect(frame(), columns=["sex", "zip", "disease"]),
        "data": lambda: vl.inspect(tables.hospital()),
        "no rows": lambda: vl.inspect(frame().head(0)),
        "unknown column": lambda: vl.inspect(frame(), columns=["town"]),
    }

    def told(work: Callable[[], Any]) -> Fields:
        found = work()
        advice = len(found.advice(vl.Schema(quasi=["sex"], sensitive=["disease"])))
        return {"roles": found.roles(), "pieces of advice": advice, **opened(stripped(found.as_json()))}

    return {f"inspect, {name}": lambda work=work: refusals(lambda: told(work)) for name, work in made.items()}


def _reached() -> Fields:
    data, fields = tables.hospital(), {}
    for name, model in MODELS.items():
        fields[f"reach {name}"] = [[one.knob, plain(one.value), one.most] for one in vl.reach(data, model)]
        fields[f"foresee {name}"] = refusals(lambda model=model: {"foreseen": vl.foresee(data, model)})
    fields["foresee, other method"] = refusals(lambda: {"foreseen": vl.foresee(data, MODELS["k"], vl.Anatomy())})
    return fields


def _budgets() -> Fields:
    made: dict[str, dict[str, Any]] = {
        "usual": {"domain": 50},
        "several": {"domain": 50, "p": [0.15, 0.3], "k": [2, 6]},
        "targets": {"domain": 50, "k": [2, 6], "rho2": 0.5, "growth": 0.2},
        "skew": {"domain": 12, "skew": 0.4, "rho1": 0.1, "growth": 0.3},
        "wrong p": {"domain": 50, "p": 1.5},
        "wrong domain": {"domain": 1},
        "wrong target": {"domain": 50, "rho2": 0.1},
    }
    fields: Fields = {}
    for name, given in made.items():
        told = refusals(lambda given=given: stripped(vl.privacy_budget(**given).as_json()))
        fields |= {f"{name}: {field}": folded(value, 500) for field, value in told.items()}
    return fields


def _statistics() -> Fields:
    """Learned statistics: sizes and probabilities; their salt, and with it their digest, is fresh every time."""
    fields: Fields = {}
    wanted = {"usual": {}, "support": {"min_support": 10}, "columns": {"max_columns": 1}, "smooth": {"smoothing": 5.0}}
    for name, given in {**wanted, "wrong": {"min_support": 0}, "unknown": {"column": "ward"}}.items():

        def learned(given: Any = given) -> Fields:
            prior = vl.learn_prior(tables.hospital(), **given)
            with tempfile.TemporaryDirectory() as room:
                path = prior.save(Path(room) / "prior.csv")
                rows = pl.read_csv(path, infer_schema=False)
                again = vl.read_prior(path, "disease")
            kept = rows.select(column for column in rows.columns if column != "salt")
            lines = kept.filter(~pl.any_horizontal(pl.all().str.contains("salt"))).sort(kept.columns)
            sets = [len(known.signatures) for known in prior.sets]
            return {"sets": sets, "columns": kept.columns, "rows": digest(lines.write_csv()), "again": len(again.sets)}

        fields |= {f"{name}: {field}": value for field, value in refusals(learned).items()}
    rows = [("sex", "m", "HIV", 0.2), ("sex", "f", "HIV", 0.05)]
    prior = vl.read_prior(pl.DataFrame(rows, ["columns", "signature", "value", "probability"], orient="row"), "disease")
    return {**fields, "read": prior.digest}


def _compared(policies: Any = None, **more: Any) -> Callable[[], Fields]:
    def work() -> Fields:
        wanted = vl.LDiversity(l=3) if policies is None else policies
        found = vl.compare(tables.hospital(), wanted, measures=LIGHT, key=KEY, **more)
        told = stripped(found.as_json())
        frame = found.frame()
        return {"frame": [frame.height, frame.width], **opened(told)}

    return lambda: refusals(work)


def _names() -> Fields:
    """The public names, the adversaries, and a key's coins as they show in a release."""
    presets = {name: list(preset.attacks) for name, preset in vl.presets().items()}
    return {
        "public names": folded(sorted(vl.__all__), 4000),
        **presets,
        "knowledge": [one.name for one in vl.Knowledge],
    }


def cases() -> dict[str, Any]:
    found: dict[str, Any] = _inspections()
    for shape in SHAPES:
        found[f"estimate, {shape}"] = lambda shape=shape: refusals(lambda: _estimates(shape))
        found[f"distributions, {shape}"] = lambda shape=shape: refusals(lambda: _distributions(shape))
    for shape in ("generalized", "bucketized", "decomposed", "sampled"):
        found[f"report, {shape}"] = lambda shape=shape: refusals(lambda: _report(shape))
    some = [vl.Mondrian(), vl.Anatomy(), vl.FullDomain(suppression=0.05)]
    found |= {
        "reach and foresee": _reached,
        "budgets": _budgets,
        "statistics": _statistics,
        "names": _names,
        "compare, all methods": _compared(attacks=[vl.attacks.Homogeneity(), vl.attacks.Linking()]),
        "compare, some": _compared(methods=some, by="certainty"),
        "compare, adversary": _compared(methods=some[:2], adversary=["insurer", "neighbour"]),
        "compare, policies": _compared(policies=[vl.KAnonymity(k=3), vl.KAnonymity(k=9)], methods=some[:1]),
        "compare, out of reach": _compared(policies=vl.LDiversity(l=13), methods=some[:2]),
        "compare, unknown measure": _compared(methods=some[:1], by="beauty"),
        "compare, no policy": _compared(policies=[]),
    }
    return found
