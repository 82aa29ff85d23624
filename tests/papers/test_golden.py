"""Every number of golden.json, by the function that computes it.

The file is shared with the papers' own checks; another one can be named in the environment variable VOILE_GOLDEN.
A function that does not exist yet is listed in PENDING and fails strictly: the day it is entered in FUNCTIONS, its
name must leave PENDING.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from published import even_count

import voile as vl
from voile import kernels
from voile.attacks import corruption
from voile.attacks.elimination import after_ruling_out
from voile.measures.distortion import distortion
from voile.measures.query_error.query_error import average_relative_error, predicate_width, relative_error
from voile.methods.anatomy import optimal_l
from voile.models.anti_corruption.privacy_arithmetic import Terms, group_size, peak
from voile.models.l_diversity import check_recursive
from voile.models.t_closeness.t_closeness import emd_equal, emd_ordered
from voile.papers.art import bounds
from voile.papers.decompose.poster import PosterLists, legal_noise_global, legal_noise_local, posterior
from voile.papers.minimality.mask_formulas import distribution, mechanism_aware_credibility
from voile.papers.minimality.written_releases import attack_local, credibility_global, require_model
from voile.papers.perturbed_generalization.lemmas import lemma_1
from voile.releases.certificate import UNSIGNED
from voile.releases.randomized_response import Channel, reconstruct
from voile.releases.shapes.bucketized import Bucketized

GOLDEN = Path(os.environ.get("VOILE_GOLDEN") or Path(__file__).with_name("golden.json"))
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]


class NotYet(Exception):  # noqa: N818 - what happened
    """The function is not part of voile yet."""


def count_estimate(
    groups: list[dict[str, Any]], qi_predicate: Mapping[str, list[Any]], sensitive_predicate: list[Any]
) -> float:
    """The estimate of a bucketized release that shows exactly these groups."""
    width = len(groups[0]["qi"][0])
    people = [(number, *row) for number, group in enumerate(groups, 1) for row in group["qi"]]
    names = [f"q{place}" for place in range(width)]
    quasi = pl.DataFrame(people, schema=["group", *names], orient="row")
    values = [(number, value) for number, group in enumerate(groups, 1) for value in group["sensitive"]]
    sensitive = (
        pl.DataFrame(values, schema=["group", "value"], orient="row")
        .group_by(["group", "value"], maintain_order=True)
        .len("count")
        .with_columns(pl.col("count").cast(pl.Int64))
    )
    columns = [{"name": name, "role": "quasi"} for name in names] + [{"name": "value", "role": "sensitive"}]
    release = Bucketized({"quasi": quasi, "sensitive": sensitive}, {"format": 1, "columns": columns}, UNSIGNED)
    return even_count(
        release, {**{f"q{place}": wanted for place, wanted in qi_predicate.items()}, "value": sensitive_predicate}
    )


def largest_l(bucket_sizes: list[int], l: int) -> dict[str, int]:  # noqa: E741 - the letter of the literature
    coins = np.random.default_rng(7).integers(0, 1 << 63, sum(bucket_sizes), dtype=np.uint64)
    picks, remaining = kernels.dealing.pick_largest_l(np.array(bucket_sizes, dtype=np.int64), l, coins)
    return {"groups": len(picks), "leftover": int(remaining.sum())}


def terms(**given: Any) -> Terms:
    return Terms(
        given["k"], given["U"], given["lambda"], blind=given.get("blind", True), tight=given.get("tight", False)
    )


def growth(given: Terms, p: float) -> float:
    """The bound on growth, which the certificate rounds up to a grid, to the last digit: by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if given.grows_within(p, Fraction(middle)) else (middle, high)
    return high


def attack_posterior(
    prior: list[float],
    y: int,
    p: float,
    U: int,  # noqa: N803
    G: int,  # noqa: N803
    corrupted: list[int],
    others: list[float],
) -> dict[str, Any]:
    h, believed = corruption.posterior(prior, y, Channel(p, U), G, corrupted, others)
    return {"h": h, "posterior": believed.tolist()}


def lists(
    columns: list[str],
    rows: list[list[Any]],
    primary: str,
    secondary: str,
    groups: list[list[int]],
    noise: Mapping[str, list[Any]] | None = None,
) -> PosterLists:
    """A decomposed table of the poster's kind."""
    people = [dict(zip(columns, row, strict=True)) for row in rows]
    return PosterLists(
        people, primary, secondary, groups, {int(group): values for group, values in (noise or {}).items()}
    )


def attack(
    external: dict[str, int], published: list[dict[str, Any]], requirement: dict[str, Any], target: list[Any]
) -> dict[str, float]:
    """The minimality attack on a release written out, with the requirement as the file names it."""
    values = [value for group in published for value in group["values"]]
    kind = requirement["type"]
    test: Any
    if kind == "l_diversity":  # the share of the listed values, whatever the size of the group
        test = require_model(vl.Personalized(p=1 / requirement["l"], nodes=tuple(requirement["sensitive"])), values)
    elif kind == "cl_diversity":
        test = vl.LDiversity(l=requirement["l"], form="recursive", c=requirement["c"])
    else:
        test = vl.KE(k=requirement["k"], e=requirement["e"])
    found = attack_local(external, published, test)
    assert found.belief is not None
    kind, value = target
    return {"posterior": float(found.belief[kind, value]), "naive": float(found.naive[kind, value])}


def credibility(class_sizes: list[int], sensitive_count: int, l: int, victim_class: int) -> float:  # noqa: E741
    found = credibility_global(class_sizes, sensitive_count, l)
    assert found is not None
    return float(found[victim_class])


FUNCTIONS: dict[tuple[str, str], Callable[..., Any]] = {
    ("ART", "delta_ceil"): bounds.delta_ceil,
    ("ART", "expected_min_size"): bounds.expected_min_size,
    ("ART", "linkage_exact"): bounds.linkage_exact,
    ("ART", "linkage_binary"): bounds.linkage_binary,
    ("ART", "certify_group"): bounds.certify_group,
    ("ART", "swap_bound"): bounds.swap_bound,
    ("ART", "ratio_limit"): bounds.ratio_limit,
    ("ART", "omega_estimate"): bounds.omega_estimate,
    ("ART", "m_uniqueness_eligible"): bounds.m_uniqueness_eligible,
    ("ART", "m_uniqueness_max_r"): bounds.m_uniqueness_max_r,
    ("ART", "closeness"): bounds.closeness,
    ("ART", "average_delta"): bounds.average_delta,
    ("metrics", "predicate_width"): predicate_width,
    ("metrics", "count_estimate"): count_estimate,
    ("metrics", "relative_error"): relative_error,
    ("metrics", "average_relative_error"): average_relative_error,
    ("metrics", "distortion"): lambda levels_up, heights: distortion(levels_up, heights),
    ("t-closeness", "emd_ordered"): emd_ordered,
    ("t-closeness", "emd_equal"): emd_equal,
    ("cl-diversity", "check"): lambda counts, **given: check_recursive(np.array(counts), **given),
    ("cl-diversity", "posterior_exact_reconstruction"): lambda counts, target, eliminated: after_ruling_out(
        counts, target, eliminated
    ),
    ("cl-diversity", "lemma1_prior"): lambda u, l, domain: float(lemma_1(u, l, domain)),  # noqa: E741
    ("minimality", "attack_local"): attack,
    ("minimality", "credibility_global"): credibility,
    ("MASK", "distribution"): distribution,
    ("MASK", "mechanism_aware_credibility"): mechanism_aware_credibility,
    ("Decompose", "largest_l"): largest_l,
    ("Decompose", "optimal_l"): lambda bucket_sizes: optimal_l(np.array(bucket_sizes)),
    ("PG", "transition"): lambda p, U, same: float(Channel(p, U).transition(same)),  # noqa: N803
    ("PG", "h_top"): lambda p, **given: float(terms(**given).ownership(p)),
    ("PG", "rho2_min"): lambda p, rho1, **given: float(terms(**given).exact_belief(p, rho1)),
    ("PG", "rho2_tight"): lambda p, rho1, **given: float(terms(tight=True, **given).exact_belief(p, rho1)),
    ("PG", "delta_min"): lambda p, **given: growth(terms(**given), p),
    ("PG", "fallback_delta_value_aware_grouping"): lambda p, **given: growth(terms(k=2, blind=False, **given), p),
    ("PG", "w_m"): lambda p, U: peak(p, U),  # noqa: N803
    ("PG", "max_p_for_rho"): lambda rho1, rho2, **given: float(terms(**given).largest_p(rho1, rho2)),
    ("PG", "max_p_for_delta"): lambda delta, **given: float(terms(**given).largest_p(growth=delta)),
    ("PG", "k_from_s"): group_size,
    ("PG", "attack_posterior"): attack_posterior,
    ("PG", "reconstruct"): lambda counts, p, U, category_sizes: reconstruct(counts, p, U, category_sizes),  # noqa: N803
    ("Decompose", "legal_noise_local"): lambda group, **given: legal_noise_local(lists(**given), group),
    ("Decompose", "legal_noise_global"): lambda group, **given: legal_noise_global(lists(**given), group),
    ("Decompose", "posterior"): lambda group, **given: posterior(lists(**given), group),
    ("Decompose", "posterior_given_primary"): lambda group, known, **given: lists(**given).chances(group, known),
}

PENDING: dict[str, set[str]] = {}


def agrees(found: Any, expected: Any, tolerance: float) -> bool:
    """Within the absolute tolerance, element by element; 0 means exactly."""
    if expected is None or isinstance(expected, (bool, str)):
        return bool(found is expected or (type(found) is type(expected) and found == expected))
    if isinstance(expected, dict):
        shown = {str(key): value for key, value in found.items()} if isinstance(found, Mapping) else None
        return (
            shown is not None
            and shown.keys() == expected.keys()
            and all(agrees(shown[key], value, tolerance) for key, value in expected.items())
        )
    if isinstance(expected, list):
        parts = list(found)
        return len(parts) == len(expected) and all(
            agrees(a, b, tolerance) for a, b in zip(parts, expected, strict=True)
        )
    if found is None or isinstance(found, bool):
        return False
    return found == expected if tolerance == 0 else abs(found - expected) <= tolerance


def parameter(case: Mapping[str, Any]) -> Any:
    pending = case["function"] in PENDING.get(case["area"], ())
    reason = f"voile has no {case['function']} yet"
    marks = [pytest.mark.xfail(strict=True, raises=NotYet, reason=reason)] if pending else []
    return pytest.param(case, id=f"{case['id']}-{case['function']}", marks=marks)


@pytest.mark.parametrize("case", [parameter(case) for case in CASES])
def test_golden(case: Mapping[str, Any]) -> None:
    place = (case["area"], case["function"])
    if place not in FUNCTIONS:
        raise NotYet(place)
    found = FUNCTIONS[place](**case["input"])
    assert agrees(found, case["expected"], case["tolerance"]), f"{found!r}, expected {case['expected']!r}"


def test_nothing_is_both_there_and_pending() -> None:
    both = [place for place in FUNCTIONS if place[1] in PENDING.get(place[0], ())]
    assert not both


@pytest.mark.parametrize(
    ("found", "expected", "tolerance", "answer"),
    [
        (1.0, 1.1, 0.2, True),
        (1, 2, 0, False),
        (True, 1, 0, False),
        (None, None, 0, True),
        (0, None, 0, False),
        ([1, 2], [1, 2.05], 0.1, True),
        ([1], [1, 2], 0.1, False),
        ({4: 0.5}, {"4": 0.5}, 0, True),
        ({4: 0.5, 5: 0.5}, {"4": 0.5}, 0, False),
    ],
)
def test_agreement_is_element_by_element(found: Any, expected: Any, tolerance: float, answer: bool) -> None:
    assert agrees(found, expected, tolerance) is answer
