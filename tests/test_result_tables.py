"""Results are shown as short tables, in text and in notebooks, and become data frames."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_origin

import pytest

import voile as vl
from voile.errors import SpecError
from voile.result_tables import write_html, write_lines

SCHEMA = vl.Schema(identifier=["name"], quasi=["birth", "sex", "zip"], sensitive=["disease"])


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    data = vl.read(vl.datasets.hospital(), SCHEMA)
    release = vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=2)))
    audit, losses = vl.audit(release, data), vl.measure(data, release)
    estimated = vl.inspect(vl.datasets.hospital(), SCHEMA, population=40_000, special_uniques=True)
    return {
        "release": release,
        "verdict": vl.verify(release),
        "audit": audit,
        "finding": audit.findings[0],
        "losses": losses,
        "loss": losses.items[0],
        "report": vl.report(release, audit, losses),
        "inspection": vl.inspect(vl.datasets.hospital(), SCHEMA),
        "comparison": vl.compare(data, vl.KAnonymity(k=5), methods=[vl.Mondrian()]),
        "budget": vl.privacy_budget(domain=10),
        "table": data,
        "prepared": vl.prepare(vl.datasets.hospital(), ages={"birth": "2026-01-01"}),
        "recommendation": vl.recommend(data),
        "advice": vl.advise(data, vl.KAnonymity(k=5)),
        "distribution": vl.distributions(data, release)[0],
        "prior": vl.learn_prior(data),
        "completions": release.complete(2),
        "count": release.count(sex="Female"),
        "answer": release.query("select sex, count(*) from t group by sex"),
        "pooled": vl.pool([1.0, 1.5], [0.1, 0.1]),
        "certificate": release.certificate,
        "reading": data.reading,
        "population": estimated.population,
        "special uniques": estimated.special_uniques,
        "register": vl.inspect(vl.datasets.hospital(), SCHEMA, register=vl.datasets.hospital()).register,
    }


TABLES = ["verdict", "audit", "losses", "inspection", "comparison", "budget", "advice", "distribution", "answer"]
TABLES += ["pooled", "population", "special uniques", "register"]
NAMES = [*TABLES, "release", "finding", "loss", "report", "table", "recommendation", "prior", "completions", "count"]
NAMES += ["certificate"]


@pytest.mark.parametrize("name", [*NAMES, "prepared", "reading"])
def test_a_result_is_named_in_one_short_line(results: dict[str, Any], name: str) -> None:
    text = repr(results[name])
    assert "\n" not in text
    assert len(text) < 250
    assert "array(" not in text


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_a_table(results: dict[str, Any], name: str) -> None:
    shown = results[name]._repr_html_()
    assert shown.startswith("<table>")
    assert "<script" not in shown


def test_every_verb_returns_what_a_notebook_shows() -> None:
    """`reach` answers in a sentence, `guide` is a page, `pack` a path, and `presets` are a dictionary of stories."""
    verbs = [getattr(vl, name) for name in vl.__all__ if inspect.isfunction(getattr(vl, name))]
    verbs = [verb for verb in verbs if "voile.flow." in verb.__module__]
    found = {verb.__name__: eval(verb.__annotations__["return"], verb.__globals__) for verb in verbs}
    classes = {name: get_args(result)[0] if get_origin(result) else result for name, result in found.items()}
    plain = {name for name, result in classes.items() if not hasattr(result, "_repr_html_")}
    assert len(classes) > 15
    assert plain == {"foresee", "guide", "pack", "reach"}


@pytest.mark.parametrize("name", TABLES)
def test_a_printed_result_fits_on_a_screen(results: dict[str, Any], name: str) -> None:
    assert 1 < len(str(results[name]).splitlines()) < 40


@pytest.mark.parametrize("name", [*TABLES, "release", "finding", "count"])
def test_a_result_becomes_a_data_frame(results: dict[str, Any], name: str) -> None:
    pytest.importorskip("pandas")
    polars, pandas = results[name].to_polars(), results[name].to_pandas()
    assert polars.height == len(pandas) > 0
    assert polars.columns == list(pandas.columns)


def test_an_audit_lists_the_promise_first(results: dict[str, Any]) -> None:
    rows = results["audit"].to_polars()
    inside = [result != "outside the promise" for result in rows["result"]]
    assert inside == sorted(inside, reverse=True)
    assert str(results["audit"]).startswith("Audit(")


def test_a_release_of_several_tables_needs_a_name() -> None:
    data = vl.read(vl.datasets.hospital(), SCHEMA)
    release = vl.publish(data, vl.LDiversity(l=2), vl.Anatomy())
    with pytest.raises(SpecError, match="2 tables"):
        release.to_polars()
    name = next(iter(release.tables))
    assert release.to_polars(name).equals(release.tables[name])


def test_html_is_escaped() -> None:
    assert "<b>" not in write_html("<b>", [{"<b>": "<b>"}])


def test_long_cells_are_cut() -> None:
    assert max(map(len, write_lines([{"why": "x" * 500}]))) <= 60
