"""Anti-corruption: hold even when the adversary already knows the sensitive values of everybody else.

The adversary asked all the others in your group, or reads the files of half the hospital. Where true values are
published, yours is what is left. Here one disturbed row a group is published, and two promises are made about any set
of values, for adversaries who beforehand give no single value more than `skew`:

- rho1 to rho2: who believed in the set with at most rho1 believes in it with at most rho2 afterwards;
- growth: belief in the set rises by at most `growth`.

What they believe of the others, and how many they have corrupted, does not matter. That they take people's values as
independent does: see the limits on its page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from voile.adversaries.adversary import Adversary, Knowledge
from voile.errors import PolicyError, raise_together
from voile.models.anti_corruption.privacy_arithmetic import Terms, group_size
from voile.models.base import Model
from voile.models.evidence import Evidence
from voile.plugins.registry import knob
from voile.releases.randomized_response import exact
from voile.releases.release import Release
from voile.releases.shapes.box_tiling import tiles
from voile.releases.shapes.sampled import Sampled
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
USUAL = (0.2, 0.5)


@dataclass(frozen=True)
class AntiCorruption(Model):
    """rho1-to-rho2 and growth, against any amount of corruption; with neither given, 0.2 to 0.5.

    `bounds` says by which arithmetic p is judged: the paper's, or the tight one for the same adversary. `domain` is
    filled in when publishing: whether the list of sensitive values was declared, or taken from the table and so told.

    >>> AntiCorruption(rho1=0.2, rho2=0.5).bound()
    Fraction(1, 2)
    """

    name: ClassVar[str] = "anti-corruption"
    basis: ClassVar[str] = "process"
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
            object.__setattr__(self, "rho1", USUAL[0])
            object.__setattr__(self, "rho2", USUAL[1])
        wrong = []
        if (self.rho1 is None) != (self.rho2 is None):
            wrong.append(("rho1 and rho2 belong together", "Write anti-corruption:rho1=0.2,rho2=0.5."))
        elif self.rho1 is not None and self.rho2 is not None and self.rho1 >= self.rho2:
            wrong.append((f"rho1 = {self.rho1} must be below rho2 = {self.rho2}", "Belief may stay as it was at best."))
        for name in ("rho2", "growth"):
            if getattr(self, name) == 1:
                wrong.append((f"{name} = 1 promises nothing", "Choose a number below 1."))
        raise_together(PolicyError(f"{self.name}: {what}.", code="policy.parameter", hint=do) for what, do in wrong)

    def __repr__(self) -> str:
        usual = {"bounds": "paper", "skew": 0.1}
        shown = {name: value for name, value in self.parameters().items() if value not in (None, usual.get(name))}
        return f"AntiCorruption({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def targets_of(self) -> dict[str, float | None]:
        """The targets as the arithmetic takes them."""
        return {"rho1": self.rho1, "rho2": self.rho2, "growth": self.growth}

    def parts(self) -> list[AntiCorruption]:
        """One model a target: a claim has one bound."""
        if self.rho2 is None or self.growth is None:
            return [self]
        return [replace(self, growth=None), replace(self, rho1=None, rho2=None)]

    def terms(self, k: int, size: int, blind: bool) -> Terms:
        return Terms(k, size, exact(self.skew), blind, self.bounds == "tight")

    def informed(self, columns: Columns, rows: Table) -> AntiCorruption:
        column = self.targets(columns)[0]
        assert column is not None
        return replace(self, domain="declared" if column.domain.declared else "observed")

    def bound(self) -> Fraction:
        return exact(self.rho2 if self.rho2 is not None else self.growth or 1)

    def limited(self) -> str:
        given = f"skew {self.skew:g}"
        return f"belief under {given} from {self.rho1:g}" if self.rho2 is not None else f"gain under {given}"

    def adversary(self) -> Adversary:
        return CORRUPTER

    def promise(self, column: str) -> str:
        who = f"Who beforehand gives no value of {column!r} more than {self.skew:g}"
        said = []
        if self.rho1 is not None and self.rho2 is not None:
            said.append(
                f"{who}, and a set of values at most {self.rho1:g}, gives that set at most {self.rho2:g} after seeing "
                "the release"
            )
        if self.growth is not None:
            said.append(f"{who} believes in no set of values by more than {self.growth:g} more after seeing it")
        public = "" if self.domain == "declared" else " Which values occur in the table is taken as known."
        return (
            f"{'; and '.join(said)}, even knowing the values of everybody else. ({self.bounds.capitalize()} "
            f"bounds.){public}"
        )

    def check(self, column: Column | None) -> None:
        assert column is not None
        if column.size < 2:
            raise PolicyError(
                f"{self.name}: {column.name!r} has {column.size} value, so there is nothing to hide it among.",
                code="policy.domain",
                hint="Declare the values that it may have.",
            )
        if exact(self.skew) * column.size < 1:
            raise PolicyError(
                f"{self.name}: skew = {self.skew:g} is below 1/{column.size}: any belief gives some of the "
                f"{column.size} values of {column.name!r} at least that.",
                code="policy.skew",
                hint=f"Choose skew between {1 / column.size:.4g} and 1.",
            )

    def judge(self, release: Release, counts: Counts, evidence: Evidence) -> tuple[Answer, str]:
        """What can be seen: boxes, sizes and arithmetic. The coins cannot; who has table and key throws them again."""
        assert isinstance(release, Sampled)
        stated = process(release.certificate.method)
        if stated is None:
            return Answer.BROKEN, "The certificate does not say how people were grouped and values disturbed."
        s, p, blind = stated
        k, channel = group_size(s), release.channel
        small = int((release.sizes < k).sum())
        if small:
            return Answer.BROKEN, f"{small} of {len(release.sizes)} groups have fewer than {k} people."
        if exact(p) != exact(channel.keep):
            return Answer.BROKEN, "Certificate and dictionary do not agree about p."
        entries = release.described("quasi")
        names = [str(entry["name"]) for entry in entries]
        shown = [(entry, release.cells[n], release.boxes[n]) for entry, n in zip(entries, names, strict=True)]
        if not tiles(shown):
            return Answer.BROKEN, "The boxes do not tile the space: some overlap, or leave a gap."
        if not self.terms(k, channel.size, blind).meets(p, **self.targets_of()):
            return Answer.BROKEN, f"p = {p:g} is too large for it with k = {k} and {channel.size} values."
        if evidence.data is not None and evidence.data.rows.total != release.people:
            return Answer.BROKEN, f"It stands for {release.people} people, the table has {evidence.data.rows.total}."
        seen = f"Boxes, sizes and arithmetic fit (p = {p:g}, k = {k}, {channel.size} values)"
        return Answer.NEEDS, f"{seen}; the coins are checked with data and key."


def process(method: Any) -> tuple[float, float, bool] | None:
    """s, p, and whether the grouping was blind, as a certificate states them; None where it does not."""
    try:
        s, p = float(method["s"]), float(method["p"])
        splitter = str(method["splitter"])
    except (KeyError, TypeError, ValueError):
        return None
    fine = 0 < s <= 1 and 0 <= p <= 1 and splitter in ("mondrian", "specialization")
    return (s, p, splitter == "mondrian") if fine else None
