"""Exhaustive checking: what somebody believes who knows the algorithm, its parameters and every chance, but no coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voile.flow.publish.plan import check_request
from voile.methods.base import Method
from voile.methods.refusals import RefusesByTotals
from voile.models.base import Model
from voile.models.policy import Policy
from voile.testing.belief_questions import Question, know_totals, list_questions
from voile.testing.key_sampling import lower_limit
from voile.testing.output_chances import OutputChances, list_outputs
from voile.testing.tiny_publishing import Output, TinyPublisher
from voile.testing.tiny_table import VALUES, TinyTable

SLACK = 1e-9
BETS = 20  # questions about outputs that half of the keys choose and the other half decide
QUASI = (("x",), ("x",), ("y",), ("y",))


@dataclass(frozen=True)
class ExhaustiveCheck:
    """The worst belief of all, and how it was found.

    `belief` is what is believed of `person` given `output`, and `bound` what the claim of `model` allows there. Where
    the coins could be enumerated it is exact, and `limit` is the same. Where keys were sampled, `belief` is an estimate
    from the keys that did not choose the question, and `limit` is what the belief exceeds with 99.9 % certainty.
    """

    model: str
    belief: float
    limit: float
    bound: float
    person: int | None
    output: str
    worlds: int
    outputs: int
    refusals: int
    keys: int

    @property
    def holds(self) -> bool:
        """Whether no belief is proved to exceed its bound."""
        return self.limit <= self.bound + SLACK

    @property
    def excess(self) -> float:
        """How far the limit lies above the bound; negative where it lies below."""
        return self.limit - self.bound


def exhaust(
    method: Method,
    policy: Policy | Model,
    *,
    table: TinyTable | None = None,
    quasi: Sequence[Sequence[str]] = QUASI,
    values: Sequence[str] = VALUES[:2],
    rates: Sequence[Sequence[float]] | Sequence[float] | None = None,
    keys: int = 200,
    seed: int = 0,
    most_outcomes: int = 1000,
    refusals: bool = True,
) -> ExhaustiveCheck:
    """Publish every assignment of values to a few people under every outcome of the coins, and compute by Bayes what is
    believed of each person given what is published. Return the worst belief in comparison with the policy's bound.

    The people are a `table`, or have the rows `quasi` and one of the `values` each. An output is what a reader sees:
    tables, dictionary, number of withheld rows, stated method and models, or a refusal with its words. Coins are
    enumerated if the method draws them by `Key.shuffle` and `Key.draw_below` and a world has at most `most_outcomes`;
    otherwise every world is published with `keys` keys of its own.

    The prior is the one that the claim names, with people independent: for a model with statistics those (one prior per
    set of columns); for a model that counts, the rates that it names, or values that are even or skewed; or else
    `rates` (of the values, or a row of rates per person). A promise against corruption is asked with everybody else's
    value known. A promise about identity asks which published row is a person's: its value gives a row away if the
    grouping does. It takes the values that are shown as true.
    After a refusal nobody need believe less than before; with `refusals=False` nobody is asked then. If a method
    refuses by how common each value is in the whole table (`RefusesByTotals`), the adversary knows this beforehand.

    >>> import voile as vl
    >>> exhaust(vl.Mondrian(), vl.KAnonymity(k=2)).holds
    True
    >>> people = [["x"], ["x"], ["y"], ["y"], ["y"], ["y"]]
    >>> model = vl.AlphaK(alpha=0.5, k=2, protect=("hiv",))
    >>> exhaust(vl.Mondrian(), model, quasi=people, rates=[0.9, 0.1], refusals=False).belief
    1.0
    """
    policy = Policy(policy) if isinstance(policy, Model) else policy
    table = table or TinyTable(tuple(map(tuple, quasi)), tuple(values))
    check_request(table.data.columns, table.data.rows, policy, method)
    given = None if rates is None else [_rates_by_code(table, rates)]
    asked = [(model, list_questions(table, model, given)) for model in policy]
    found = [(model, question) for model, questions in asked for question in questions]
    if isinstance(method, RefusesByTotals):
        found = [(model, known) for model, question in found for known in know_totals(table, question)]
    if not found:
        raise ValueError("no model of the policy bounds a belief that can be asked for in this table")
    weights = np.mean([question.base / question.base.sum() for _, question in found], axis=0)
    chances = list_outputs(TinyPublisher(table, policy, method), weights, keys, seed, most_outcomes)
    model, question, output, belief, limit = _find_worst(chances, found, refusals)
    refused = bool(chances.refused[output])
    return ExhaustiveCheck(
        model.name,
        belief,
        limit,
        question.refusal_bound if refused else question.bound,
        question.person,
        describe_output(chances.outputs[output]),
        len(chances.worlds),
        len(chances.outputs),
        int(chances.refused.sum()),
        chances.keys,
    )


def _rates_by_code(table: TinyTable, rates: Sequence[Sequence[float]] | Sequence[float]) -> np.ndarray:
    """Return rates per person and code of the sensitive column, from rates in the order of the table's values."""
    listed = np.asarray(rates, dtype=np.float64)
    listed = np.tile(listed, (table.people, 1)) if listed.ndim == 1 else listed
    if (
        listed.shape != (table.people, len(table.values))
        or (listed < 0).any()
        or abs(listed.sum(axis=1) - 1).max() > SLACK
    ):
        raise ValueError("rates must give every value a probability, for all people or for each")
    coded = np.empty_like(listed)
    coded[:, table.value_order()] = listed
    return coded


def describe_output(output: Output) -> str:
    """Say what was published: a refusal with its words, or the groups of the tables."""
    content = output.content
    assert isinstance(content, tuple)
    return "refused: " + " ".join(map(str, content)) if output.refusal else str(content[0])


Found = Sequence[tuple[Model, Question]]
Worst = tuple[Model, Question, int, float, float]


def _find_worst(chances: OutputChances, found: Found, refusals: bool) -> Worst:
    relevant = np.ones(len(chances.outputs), dtype=bool) if refusals else ~chances.refused
    return (_worst_exact if chances.is_exact else _worst_sampled)(chances, found, relevant)


def _answer(
    question: Question, chances: OutputChances, chance: np.ndarray, relevant: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return per output the belief and its bound; a belief without meaning is 0."""
    total, inside = chance @ question.base, chance @ question.inside
    rows = question.count_rows(chances.outputs)
    asked = (total > 0) & (rows > 0) & relevant
    belief = np.where(asked, inside / np.where(asked, total * rows, 1.0), 0.0)
    return belief, np.where(chances.refused, question.refusal_bound, question.bound)


def _worst_exact(chances: OutputChances, found: Found, relevant: np.ndarray) -> Worst:
    worst: tuple[float, Worst] | None = None
    for model, question in found:
        belief, bound = _answer(question, chances, chances.known, relevant)
        place = int(np.argmax(belief - bound))
        excess = float(belief[place] - bound[place])
        if worst is None or excess > worst[0]:
            worst = excess, (model, question, place, float(belief[place]), float(belief[place]))
    assert worst is not None
    return worst[1]


def _worst_sampled(chances: OutputChances, found: Found, relevant: np.ndarray) -> Worst:
    """Choose questions by the first sample of keys, and decide by the second."""
    first, second = chances.chance(chances.first), chances.chance(chances.second)
    scored = []
    for number, (_, question) in enumerate(found):
        belief, bound = _answer(question, chances, first, relevant)
        score = (belief - bound) * np.sqrt(first @ question.base)
        scored += [(float(score[place]), number, int(place)) for place in np.argsort(-score)[:3]]
    worst: tuple[float, Worst] | None = None
    for _, number, place in sorted(scored, reverse=True)[:BETS]:
        model, question = found[number]
        belief, bound = _answer(question, chances, second, relevant)
        rows = question.count_rows(chances.outputs)[place]
        weights, sample = np.stack([question.inside, question.base]), chances.second
        limit = lower_limit(sample.counts[place], sample.runs, chances.known[place], weights, BETS)
        limit = limit / rows if rows and relevant[place] else 0.0
        if worst is None or limit - bound[place] > worst[0]:
            worst = limit - float(bound[place]), (model, question, place, float(belief[place]), limit)
    assert worst is not None
    return worst[1]
