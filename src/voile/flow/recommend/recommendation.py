"""The result of `recommend`: a policy and a method for an audience, with reasons and what they leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from voile.errors import FIXED_BEFOREHAND, render
from voile.flow.recommend.audiences import Audience
from voile.flow.recommend.size_costs import SizeCosts
from voile.io.toml_writing import render_toml
from voile.methods.base import Method
from voile.models.policy import Alternative, Policy
from voile.plugins.descriptions import list_changes
from voile.result_tables import write_html
from voile.tables.schema import Schema
from voile.tables.steering.steer import Steer

LOOKED = (
    "k was chosen by the sizes of groups alone. The promise about secret columns was chosen by how common their most "
    "frequent value is, which looks at the values."
)


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation:
    """A promise for an audience. `policy` and `method` publish it, `reasons` say why, `promises` what it says in plain
    words, `not_covered` what it leaves open, `alternatives` are other policies with the reason to prefer them, and
    `sizes` has the table's own numbers for the choice of k. `looked_at_values` says whether a sensitive value was
    looked at. `steering` says how columns should be read, so that no exact date of anybody is published: read the table
    again with `steer_schema(schema)`."""

    audience: Audience
    policy: Policy
    method: Method
    promises: tuple[str, ...]
    reasons: tuple[str, ...]
    not_covered: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    sizes: SizeCosts
    looked_at_values: bool
    steering: Mapping[str, Steer] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Recommendation({self.audience.name}: {self.policy!r}, {self.method.name})"

    def __str__(self) -> str:
        lines = [f"{self.audience.title}: {render(self.policy.mention())}", *self.promises]
        lines += [f"Columns (steering): {name} by {steer.round}." for name, steer in self.steering.items()]
        lines += ["Why:", *(f"  {reason}" for reason in self.reasons)]
        lines += ["Not covered:", *(f"  {gap}" for gap in self.not_covered)]
        lines += ["Instead:", *(f"  {render(item.policy.mention())}: {item.reason}" for item in self.alternatives)]
        return "\n".join([*lines, "", str(self.sizes), *([self.note] if self.note else [])])

    def steer_schema(self, schema: Schema) -> Schema:
        """Return the schema of the table with the recommended wishes for its columns."""
        return replace(schema, steering={**schema.steering, **self.steering})

    def _repr_html_(self) -> str:
        parts = (
            ("promised", self.promises),
            ("why", self.reasons),
            ("not covered", self.not_covered),
            ("instead", [f"{render(item.policy.mention())}: {item.reason}" for item in self.alternatives]),
            ("mind", [self.note] if self.note else []),
        )
        rows = [{"": part, "in words": text} for part, texts in parts for text in texts]
        return write_html(f"{self.audience.title}: {render(self.policy.mention())}", rows) + self.sizes._repr_html_()

    @property
    def note(self) -> str:
        """What choosing by the table means for the promise, in the words of the certificates."""
        return f"{LOOKED} {FIXED_BEFOREHAND}" if self.looked_at_values else ""

    def as_json(self) -> dict[str, Any]:
        audience = {name: value for name, value in asdict(self.audience).items() if name in ("name", "title", "story")}
        return {
            "audience": audience,
            "policy": self.policy.as_json(),
            "method": {"name": self.method.name, **list_changes(self.method)},
            "steering": self._list_wishes(),
            "text": render(self.policy.mention()),
            "promises": list(self.promises),
            "reasons": list(self.reasons),
            "not_covered": list(self.not_covered),
            "alternatives": [item.as_json() for item in self.alternatives],
            "sizes": self.sizes.as_json(),
            "looked_at_values": self.looked_at_values,
            "note": self.note,
        }

    def _list_wishes(self) -> dict[str, Any]:
        return {name: steer.as_json() for name, steer in self.steering.items()}

    def write_toml(self) -> list[str]:
        """Write the policy, the method and the wishes for columns as commented lines of a spec.toml."""
        return [*self._write_lines()]

    def _write_lines(self) -> Iterator[str]:
        yield f"# What is promised. {self.audience.title}:"
        yield from (f"#   {text}" for text in (*self.promises, *self.reasons))
        yield "# Not covered:"
        yield from (f"#   {gap}" for gap in self.not_covered)
        yield from (f"# {cost}" for cost in str(self.sizes).splitlines())
        if self.note:
            yield f"# {self.note}"
        if self.steering:
            yield render_toml({"schema": {"steering": self._list_wishes()}}).strip()
            yield ""
        yield render_toml({"policy": self.policy.as_json()}).strip()
        yield ""
        yield "# How it is published. `voile methods` lists the others."
        yield render_toml({"method": {"name": self.method.name, **list_changes(self.method)}}).strip()
