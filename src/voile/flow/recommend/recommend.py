"""Recommend: what to promise, for each audience that a release may have.

k follows from the audience and from the sizes of groups; the promise about each secret column from the audience and
from how common its most frequent value is. What is recommended can be kept: it is checked as `foresee` checks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from voile.adversaries.adversary import Knowledge
from voile.errors import Unsatisfiable
from voile.flow.explore.foresee import foresee
from voile.flow.recommend.audiences import AUDIENCES, Audience, find_audience
from voile.flow.recommend.date_rounding import DateRounding, round_dates
from voile.flow.recommend.recommendation import Recommendation
from voile.flow.recommend.secret_promises import SecretPromise, promise_secret
from voile.flow.recommend.size_costs import SIZES, SizeCosts, count_size_costs
from voile.methods.base import covers_algorithm
from voile.methods.mondrian.mondrian import Mondrian
from voile.models.abilities import narrow_to_column
from voile.models.alpha_k import AlphaK
from voile.models.base import Model
from voile.models.k_anonymity import KAnonymity
from voile.models.policy import Alternative, Policy
from voile.models.t_closeness.t_closeness import TCloseness
from voile.tables.microdata import Microdata

LITTLE = 0.01  # what a cell may lose more, on average, for a larger k than the audience asks for
LARGER = 20  # the k that is taken for the public where that costs little
MANY = 12  # columns known to others from which on hardly anything of a table is left
BEYOND = (Knowledge.EXCLUSION, Knowledge.OTHER_VALUE, Knowledge.CORRUPTION, Knowledge.EARLIER)


def recommend(data: Microdata, audience: str = "partner") -> Recommendation:
    """Recommend what to promise where a release is for an audience: "inside", "partner" or "public".

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> vl.recommend(data, "public").policy
    Policy(KAnonymity(k=10), LDiversity(l=5, column='disease'))
    """
    return _recommend_for(data, find_audience(audience), count_size_costs(data))


def recommend_all(data: Microdata) -> tuple[Recommendation, ...]:
    """Recommend what to promise for every audience, the smallest first."""
    sizes = count_size_costs(data)
    return tuple(_recommend_for(data, audience, sizes) for audience in AUDIENCES.values())


def _recommend_for(data: Microdata, audience: Audience, sizes: SizeCosts) -> Recommendation:
    k, reasons = _choose_size(audience, sizes)
    secrets = [promise_secret(data, column.name, audience.odds, k) for column in data.columns.sensitive]
    policy = _check_policy(data, Policy(KAnonymity(k=k), *_join_promises(secrets)))
    method, dates = Mondrian(), round_dates(data)
    return Recommendation(
        audience,
        policy,
        method,
        tuple(_state_promises(data, policy)),
        (*audience.reasons, *reasons, *_explain_table(data, dates), *(item.reason for item in secrets)),
        (*_list_gaps(data, audience, policy, method, secrets), *(item.reason for item in dates if not item.steer)),
        tuple(_list_alternatives(data, audience, policy, k, sizes)),
        sizes,
        bool(secrets),
        {item.column: item.steer for item in dates if item.steer},
    )


def _choose_size(audience: Audience, sizes: SizeCosts) -> tuple[int, list[str]]:
    """Choose k: what the audience asks for, less in a table of few people, and more for the public where that costs
    little."""
    if sizes.people < 2 * audience.k:
        k = max(sizes.people // 2, 2)
        few = f"The table has {sizes.people} {sizes.noun}, so k = {audience.k} would leave one group: k is {k}."
        return k, [f"{few} A table this small is better not given to this audience."]
    asked, larger = sizes[audience.k], sizes[LARGER]
    if audience.name != "public" or asked.loss is None or larger.loss is None:
        return audience.k, []
    costs = f"a cell loses {larger.loss:.3f} on average, instead of {asked.loss:.3f} with k = {audience.k}"
    if larger.loss - asked.loss <= LITTLE:
        return LARGER, [f"k = {LARGER} costs little here: {costs}."]
    return audience.k, [f"k = {LARGER} would cost much here: {costs}."]


def _join_promises(secrets: list[SecretPromise]) -> list[Model]:
    """List the models of the secret columns."""
    return [item.model for item in secrets if item.model is not None]


def _check_policy(data: Microdata, policy: Policy) -> Policy:
    """Return the policy, or the nearest one that the table can keep."""
    try:
        foresee(data, policy)
    except Unsatisfiable as error:
        if not error.alternatives:
            raise
        nearest: Policy = error.alternatives[0].policy
        return nearest
    return policy


def _state_promises(data: Microdata, policy: Policy) -> Iterator[str]:
    for model in policy.count_people(data.unit.rows):
        for column in model.targets(data.columns):
            name = column.name if column else None
            yield narrow_to_column(model, name).promise(name or "")


def _explain_table(data: Microdata, dates: list[DateRounding]) -> Iterator[str]:
    """Say what about the unit, the width and the dates of the table bears on the promise."""
    rows, known = data.unit.rows, len(data.columns.quasi)
    if rows > 1:
        yield (
            f"A person may have {rows} rows, so groups need {rows} times as many rows to hide as many people. One row "
            "per person costs less, and nobody can compare the rows of one person."
        )
    elif not data.unit.checked:
        yield (
            "No column tells people apart, so every row is taken as a person. If somebody has several rows, name the "
            "column that tells."
        )
    if known >= MANY:
        yield f"{known} columns count as known to others. Leave out those that readers do not need: each costs detail."
    yield from (item.reason for item in dates if item.steer)


def _list_gaps(
    data: Microdata, audience: Audience, policy: Policy, method: Mondrian, secrets: list[SecretPromise]
) -> Iterator[str]:
    """List what the promise leaves open: for this audience, by its models, and by the columns without a promise."""
    yield from audience.not_covered
    covered = {item for model in policy for item in model.adversary().knows}
    if not covers_algorithm(method, policy):
        yield "someone who knows the method and its parameters and reasons about why it grouped people as it did"
    several = len(secrets) > 1
    beyond = [item for item in BEYOND if item not in covered and (item is not Knowledge.OTHER_VALUE or several)]
    yield from (f"someone who knows {item.value}" for item in beyond)
    if not secrets:
        yield "what is learned about people: no column is marked as secret, so only finding a row is bounded"
    yield from (f"what is believed about {item.column!r}" for item in secrets if item.model is None)
    numbers = [column.name for column in data.columns.sensitive if column.domain.uses_intervals]
    yield from (f"learning roughly how much {name!r} is: numbers that lie close count as different" for name in numbers)
    others = [column.name for column in data.columns.other]
    if others:
        yield f"recognising people by {', '.join(map(repr, others))}, published unchanged"
    yield from data.unit.not_covered()


def _list_alternatives(
    data: Microdata, audience: Audience, policy: Policy, k: int, sizes: SizeCosts
) -> Iterator[Alternative]:
    """List other policies that the table can keep: a larger and a smaller k, and t-closeness for the secrets."""
    before, after = sizes[k].loss if k in SIZES else None, None
    larger = next((size for size in SIZES if size > k and sizes.people >= 2 * size), None)
    if larger is not None:
        after = sizes[larger].loss
        cost = f", where a cell loses {after:.3f} instead of {before:.3f}" if None not in (before, after) else ""
        yield Alternative(_change_size(policy, larger), f"If being found would harm people: a larger crowd{cost}.")
    smaller = max((size for size in SIZES if size < k), default=None)
    if smaller is not None and audience.name != "public":
        yield Alternative(_change_size(policy, smaller), "If detail matters more, and you trust every reader.")
    if data.columns.sensitive and data.unit.rows == 1:
        names = [(column.name, column.domain.uses_intervals) for column in data.columns.sensitive]
        close = [TCloseness(column=name, distance="ordered" if ordered else "equal") for name, ordered in names]
        reason = "If it already harms people that their group differs from everybody else's."
        yield Alternative(Policy(KAnonymity(k=k), *close), reason)


def _change_size(policy: Policy, k: int) -> Policy:
    """Return a policy with another k in every model that has one."""
    return Policy(*(replace(model, k=k) if isinstance(model, (KAnonymity, AlphaK)) else model for model in policy))
