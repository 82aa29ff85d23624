"""The certificate: the claims of a release, in a form that a stranger can check against the published files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from voile.adversaries.adversary import Adversary, Knowledge
from voile.result_tables import write_html
from voile.tables.unit import ONE_ROW, Unit

FORMAT = 3
WHO_KNOWS_THE_ALGORITHM = (
    "an adversary who knows the algorithm and its parameters, and infers something from what it did not publish"
)

# what was done to the table before it was read, as a certificate states it
PREPARATIONS = {
    "pseudonyms": "The publisher keeps pseudonyms of the people in a private file. Pseudonyms are not anonymity: no "
    "claim covers that file, and whoever has the key can tell whose each pseudonym is.",
    "shifted dates": "The dates of each person were shifted by one secret offset. The intervals between them are true, "
    "and whoever knows one date of a person knows all of them.",
    "ages": "Dates of birth were replaced by ages at a date.",
    "safe harbor rules": "Rules of the Safe Harbor method were applied to some columns. This is no statement that the "
    "release complies with any law.",
}


@dataclass(frozen=True)
class Claim:
    """A model with its parameters, what it bounds and by how much, the adversary, and how it can be checked.

    `quasi` names the columns that the adversary is assumed to know: a promise about fewer columns is a different one.
    `unit` says whom the promise protects, and `gaps` whom the model does not cover. An adversary who knows the
    algorithm is either one whom the claim names, or one who is not covered.
    """

    model: str
    parameters: Mapping[str, Any]
    column: str | None
    quasi: tuple[str, ...]
    limits: str
    bound: Fraction
    adversary: Adversary
    basis: str
    promise: str
    unit: Unit = ONE_ROW
    found: Mapping[str, Any] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()

    def against_algorithm(self) -> Claim:
        """Return the same claim against an adversary who also knows the algorithm."""
        return replace(self, adversary=replace(self.adversary, knows=self.adversary.knows | {Knowledge.ALGORITHM}))

    def not_covered(self) -> tuple[str, ...]:
        """List the adversaries against whom the claim does not hold although a reader might think so."""
        insider = () if Knowledge.ALGORITHM in self.adversary.knows else (WHO_KNOWS_THE_ALGORITHM,)
        return (*self.unit.not_covered(), *insider, *self.gaps)

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "parameters": dict(self.parameters),
            "column": self.column,
            "quasi": list(self.quasi),
            "limits": self.limits,
            "bound": str(self.bound),
            "adversary": self.adversary.as_json(),
            "basis": self.basis,
            "promise": self.promise,
            "unit": self.unit.as_json(),
            "not_covered": list(self.not_covered()),
            **({"found": dict(self.found)} if self.found else {}),
        }


@dataclass(frozen=True)
class Certificate:
    """Format, shape, method, claims, what was done to the table before it was read, and (once saved) the digests of the
    files. Never a key, never a cell."""

    shape: str
    method: Mapping[str, Any]
    claims: tuple[Mapping[str, Any], ...]
    tool: str
    files: Mapping[str, str] = field(default_factory=dict)
    format: int = FORMAT
    prepared: tuple[str, ...] = ()

    def __repr__(self) -> str:
        models = ", ".join(_state(claim, "model") for claim in self.claims)
        return f"Certificate({self.shape}, method {_state(self.method, 'name')}; {models or 'no claim'})"

    def _repr_html_(self) -> str:
        parts = ("model", "column", "bound", "promise")
        return write_html(repr(self), [{part: _state(claim, part) for part in parts} for claim in self.claims])

    @property
    def names_algorithm(self) -> bool:
        """Whether a claim covers an adversary who knows the algorithm; in a certificate from elsewhere a claim may be
        anything."""
        adversaries = [claim.get("adversary") for claim in self.claims if isinstance(claim, Mapping)]
        known = [entry.get("knows") for entry in adversaries if isinstance(entry, Mapping)]
        return any(isinstance(names, list) and "algorithm" in names for names in known)

    def as_json(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "tool": self.tool,
            "shape": self.shape,
            "method": dict(self.method),
            "claims": [dict(claim) for claim in self.claims],
            **({"prepared": {step: PREPARATIONS[step] for step in self.prepared}} if self.prepared else {}),
            "files": dict(self.files),
        }


def _state(document: object, part: str) -> str:
    """Return what a claim or a method states, in short; in a certificate from elsewhere it may be anything."""
    stated = document.get(part) if isinstance(document, Mapping) else None
    return stated if isinstance(stated, str) else ""


UNSIGNED = Certificate("", {}, (), "")


def is_same_json(expected: object, stated: object) -> bool:
    """Whether two documents say the same. A real number may be written 2, but a whole one not 2.0; true is no number
    and no text is one.

    >>> is_same_json({"r": 2.0}, {"r": 2}), is_same_json({"k": 2}, {"k": 2.0}), is_same_json({"r": 1}, {"r": True})
    (True, False, False)
    """
    if isinstance(expected, Mapping) and isinstance(stated, Mapping):
        return expected.keys() == stated.keys() and all(is_same_json(expected[key], stated[key]) for key in expected)
    if isinstance(expected, (list, tuple)) and isinstance(stated, (list, tuple)):
        return len(expected) == len(stated) and all(map(is_same_json, expected, stated))
    if isinstance(expected, bool) != isinstance(stated, bool) or (
        isinstance(expected, int) and isinstance(stated, float)
    ):
        return False
    return expected == stated
