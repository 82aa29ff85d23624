"""Anti-corruption: a promise that holds even if the adversary already knows the sensitive values of everybody else.

The adversary has asked everybody else in your group, or reads the files of half the hospital. If true values are
published, the one left over is yours. Here one perturbed row per group is published, and two promises are made about
any set of values, for adversaries who beforehand give no single value a probability above `skew`:

- rho1 to rho2: if belief in the set was at most rho1 before, it is at most rho2 afterwards;
- growth: belief in the set rises by at most `growth`.

It does not matter what the adversary believes about the others, or how many of them are corrupted. It does matter that
the adversary takes people's values as independent: see the limits on the model's page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError, raise_together
from voile.models.abilities import LearnsFromTable
from voile.models.anti_corruption.privacy_arithmetic import Terms, group_size
from voile.models.base import Verification
from voile.models.evidence import Evidence
from voile.models.kinds import ProcessModel
from voile.plugins.registry import knob
from voile.releases.randomized_response import Channel, exact_fraction
from voile.releases.release import Release
from voile.releases.shapes.box_tiling import tiles
from voile.results import Answer
from voile.tables.group_counts import Counts
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns

CORRUPTER = Adversary.who(
    "corrupter",
    Knowledge.MEMBERSHIP,
    Knowledge.QUASI,
    Knowledge.POPULATION,
    Knowledge.STATISTICS,
    Knowledge.PRIOR,
    Knowledge.ALGORITHM,
    Knowledge.CORRUPTION,
)
DEFAULT_TARGETS = (0.2, 0.5)


@dataclass(frozen=True)
class AntiCorruption(LearnsFromTable, ProcessModel):
    """Bounds on belief (rho1 to rho2) and on its growth, against any amount of corruption. Without any of the three,
    belief may rise from 0.2 to 0.5.

    `bounds` chooses the arithmetic that p must satisfy: the paper's, or the tight one for the same adversary. `domain`
    is filled in when publishing: whether the list of sensitive values was declared, or taken from the table and thereby
    revealed.

    >>> AntiCorruption(rho1=0.2, rho2=0.5).bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "anti-corruption"
    method: ClassVar[str] = "perturbed-generalization"
    shapes: ClassVar[tuple[str, ...]] = ("sampled",)

    rho1: float | None = knob(None, low=0, high=1)
    rho2: float | None = knob(None, above=0, high=1)
    growth: float | None = knob(None, above=0, high=1)
    skew: float = knob(0.1, above=0, high=1)
    bounds: str = knob("paper", choices=("paper", "tight"))
    domain: str | None = knob(None, choices=("declared", "observed"))
    column: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho1 is None and self.rho2 is None and self.growth is None:
            object.__setattr__(self, "rho1", DEFAULT_TARGETS[0])
            object.__setattr__(self, "rho2", DEFAULT_TARGETS[1])
        faults = []
        if (self.rho1 is None) != (self.rho2 is None):
            faults.append(("rho1 and rho2 belong together", "Write anti-corruption:rho1=0.2,rho2=0.5."))
        elif self.rho1 is not None and self.rho2 is not None and self.rho1 >= self.rho2:
            faults.append(
                (
                    f"rho1 = {self.rho1} must be below rho2 = {self.rho2}",
                    "A release can at best leave belief as it was.",
                )
            )
        for name in ("rho2", "growth"):
            if getattr(self, name) == 1:
                faults.append((f"{name} = 1 promises nothing", "Choose a number below 1."))
        raise_together(
            PolicyError(f"{self.name}: {fault}.", code="policy.parameter", hint=remedy) for fault, remedy in faults
        )

    def __repr__(self) -> str:
        defaults = {"bounds": "paper", "skew": 0.1}
        arguments = {
            name: value for name, value in self.parameters().items() if value not in (None, defaults.get(name))
        }
        return f"AntiCorruption({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def belief_targets(self) -> dict[str, float | None]:
        """Return the targets as the arithmetic takes them."""
        return {"rho1": self.rho1, "rho2": self.rho2, "growth": self.growth}

    def split_targets(self) -> list[AntiCorruption]:
        """Return one model per target, because a claim has one bound."""
        if self.rho2 is None or self.growth is None:
            return [self]
        return [replace(self, growth=None), replace(self, rho1=None, rho2=None)]

    def terms(self, k: int, size: int, blind: bool) -> Terms:
        """Collect what the arithmetic needs besides p."""
        return Terms(k, size, exact_fraction(self.skew), blind, self.bounds == "tight")

    def learn(self, columns: Columns, rows: Table) -> AntiCorruption:
        column = self.targets(columns)[0]
        assert column is not None
        return replace(self, domain="declared" if column.domain.declared else "observed")

    def holds(self, counts: Counts) -> np.ndarray:
        """Accept every group: counts of perturbed values show nothing. `verify` looks at boxes, sizes and p."""
        return np.ones(counts.groups, dtype=bool)

    def bound(self) -> Fraction:
        return exact_fraction(self.rho2 if self.rho2 is not None else self.growth or 1)

    @property
    def limits(self) -> str:
        skew = f"skew {self.skew:g}"
        return f"belief under {skew} from {self.rho1:g}" if self.rho2 is not None else f"gain under {skew}"

    def adversary(self) -> Adversary:
        return CORRUPTER

    def promise(self, column: str) -> str:
        clauses = []
        if self.rho1 is not None and self.rho2 is not None:
            clauses.append(
                f"a set of values that had probability at most {self.rho1:g} before the release has probability at "
                f"most {self.rho2:g} after it"
            )
        if self.growth is not None:
            clauses.append(f"the probability of any set of values rises by at most {self.growth:g}")
        domain_note = "" if self.domain == "declared" else " Which values occur in the table is assumed to be known."
        return (
            f"Consider an adversary who knows the value of {column!r} of everybody else, and who gives no value a "
            f"probability above {self.skew:g} before seeing the release. For this adversary, {', and '.join(clauses)}. "
            f"({self.bounds.capitalize()} bounds.){domain_note}"
        )

    def check(self, column: Column | None) -> None:
        assert column is not None
        if column.size < 2:
            raise PolicyError(
                f"{self.name}: {column.name!r} has {column.size} value, so there is no other value to hide it among.",
                code="policy.domain",
                hint="Declare the values that the column may have.",
            )
        if exact_fraction(self.skew) * column.size < 1:
            raise PolicyError(
                f"{self.name}: skew = {self.skew:g} is below 1/{column.size}, but any belief gives at least one of the "
                f"{column.size} values of {column.name!r} that probability.",
                code="policy.skew",
                hint=f"Choose skew between {1 / column.size:.4g} and 1.",
            )

    def verify(self, release: Release, counts: Counts, evidence: Evidence) -> Verification:
        """Check what can be seen: boxes, sizes and arithmetic. The random draws cannot be seen; whoever has the table
        and the key repeats them."""
        channel = release.channel
        assert channel is not None, "only sampled releases have this claim checked"
        process = read_process(release.certificate.method)
        if process is None:
            message = "The certificate does not say how people were grouped and values were perturbed."
            return Verification(Answer.BROKEN, message)
        s, p, blind = process
        fault = self._find_fault(release, channel, evidence, group_size(s), p, blind)
        if fault:
            return Verification(Answer.BROKEN, fault)
        summary = f"Boxes, sizes and arithmetic fit (p = {p:g}, k = {group_size(s)}, {channel.size} values)"
        return Verification(Answer.NEEDS, f"{summary}; checking the random draws needs the table and the key.")

    def _find_fault(self, release: Release, channel: Channel, evidence: Evidence, k: int, p: float, blind: bool) -> str:
        """Describe what in the release contradicts the promise; empty if nothing does."""
        small_groups = int((release.sizes < k).sum())
        if small_groups:
            return f"{small_groups} of {len(release.sizes)} groups have fewer than {k} people."
        if exact_fraction(p) != exact_fraction(channel.keep):
            return "The certificate and the dictionary state different values of p."
        entries = release.described("quasi")
        boxes = [(entry, *release.box_cells[str(entry["name"])]) for entry in entries]
        if not tiles(boxes):
            return "The boxes do not tile the space: some overlap or leave a gap."
        if not self.terms(k, channel.size, blind).meets(p, **self.belief_targets()):
            return f"p = {p:g} is too large for it with k = {k} and {channel.size} values."
        if evidence.data is not None and evidence.data.rows.total != release.people:
            return f"It represents {release.people} people, but the table has {evidence.data.rows.total}."
        return ""


def read_process(method: Any) -> tuple[float, float, bool] | None:
    """Return s, p, and whether the grouping was blind, as a certificate states them; None if it does not."""
    try:
        s, p = float(method["s"]), float(method["p"])
        splitter = str(method["splitter"])
    except (KeyError, TypeError, ValueError):
        return None
    is_valid = 0 < s <= 1 and 0 <= p <= 1 and splitter in ("mondrian", "specialization")
    return (s, p, splitter == "mondrian") if is_valid else None
