"""Report: what was promised, what attacks reach, what analysts lose, on one page for who must answer for it.

The page and the JSON beside it say the same: the page is drawn from the JSON and from nothing else. Both hold column
names, counts and statistics, never a cell of the data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from voile.adversaries.adversary import Knowledge
from voile.adversaries.presets import Preset
from voile.errors import SpecError, VoileError
from voile.flow.report import charts
from voile.flow.report.page_rendering import render
from voile.flow.verify.verify import verify
from voile.io import text_files
from voile.plugins.registry import registered_classes
from voile.releases.release import Release
from voile.results import Audit, Finding, Losses, Verdict

FORMAT = 1


def report(
    release: Release, audit: Audit | None = None, losses: Losses | None = None, verdict: Verdict | None = None
) -> Report:
    """A report of a release; what was not audited or measured is left out, and said to be missing.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> vl.report(vl.publish(data, vl.KAnonymity(k=5)))
    Report(holds, 1 promise, 0 attacks, 0 measures)
    """
    return Report(release, audit, losses, verdict or verify(release))


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What is known about a release, as a page (`html`), as JSON (`as_json`), or as both in files (`save`)."""

    release: Release
    audit: Audit | None
    losses: Losses | None
    verdict: Verdict

    def __repr__(self) -> str:
        parts = {
            "promise": len(self.release.certificate.claims),
            "attack": len(self.audit.findings) if self.audit else 0,
            "measure": len(self.losses.items) if self.losses else 0,
        }
        counted = ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for word, number in parts.items())
        return f"Report({_answer(self.verdict)}, {counted})"

    @cached_property
    def html(self) -> str:
        """One page with everything inside it: no script, no font, no address to load from."""
        stated = json.dumps(self._content["certificate"], indent=2, ensure_ascii=False)
        return render("report.html", **self._content, drawn=charts.draw(self._content), stated=stated)

    def as_json(self) -> dict[str, Any]:
        return json.loads(self._text)  # type: ignore[no-any-return]

    def save(self, path: str | Path) -> Path:
        """Write the page and, beside it, the same as JSON: `report.html` and `report.json`. Returns the page."""
        page = Path(path)
        if page.suffix.lower() not in (".html", ".htm"):
            message = f"A report is a page, and {page.name!r} is none."
            raise SpecError(message, code="spec.out", hint="Call it report.html.")
        text_files.write_texts({page: self.html, page.with_suffix(".json"): self._text + "\n"})
        return page

    @cached_property
    def _text(self) -> str:
        return json.dumps(self._content, indent=1, ensure_ascii=False, allow_nan=False)

    @cached_property
    def _content(self) -> dict[str, Any]:
        release, certificate = self.release, self.release.certificate
        groups = _groups(release)
        promises = [_promise(claim) for claim in certificate.claims]
        columns = [
            {part: str(entry.get(part, "")) for part in ("name", "role", "kind", "shown", "cell")}
            for entry in release.dictionary["columns"]
        ]
        content = {
            "format": FORMAT,
            "tool": certificate.tool,
            "headline": {
                "answer": _answer(self.verdict),
                "people": groups["people"],
                "groups": groups["groups"],
                "smallest_group": groups["smallest"],
                "shape": release.shape,
                "shown": release.words.shown,
                "hides": release.words.hides,
                "method": dict(certificate.method),
            },
            "verdict": self.verdict.as_json(),
            "promises": promises,
            "audit": _attacks(self.audit) if self.audit is not None else None,
            "adversaries": _adversaries(self.audit) if self.audit is not None else [],
            "recipient": _recipient(release, self.losses),
            "losses": [item.as_json() for item in self.losses.items] if self.losses is not None else None,
            "groups": groups,
            "columns": columns,
            "limits": _limits(promises, columns, bool(self.audit and self.audit.findings)),
            "certificate": certificate.as_json(),
        }
        # JSON has no word for infinity or an undefined number; both become null
        text = json.dumps(content, default=float)
        return json.loads(text, parse_constant=lambda _: None)  # type: ignore[no-any-return]


# the content -------------------------------------------------------------------------------------------------------
def _answer(verdict: Verdict) -> str:
    if verdict.broken or not verdict.checks:
        return "broken"
    return "holds" if verdict.holds else "needs"


def _groups(release: Release) -> dict[str, Any]:
    """Sizes in figures and bins. The tables of a broken release may not even say who is in a group."""
    try:
        people, sizes = release.people, np.asarray(release.sizes)
    except (VoileError, KeyError):
        return dict.fromkeys(("people", "groups", "smallest", "median", "largest")) | {"histogram": []}
    some = len(sizes) > 0
    return {
        "people": people,
        "groups": len(sizes),
        "smallest": int(sizes.min()) if some else None,
        "median": float(np.median(sizes)) if some else None,
        "largest": int(sizes.max()) if some else None,
        "histogram": charts.binned(sizes),
    }


def _promise(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim with its adversary spelled out. In a certificate from elsewhere it may be anything."""
    try:
        adversary, excludes = claim["adversary"], int(claim["adversary"]["excludes"])
        known = [item for item in Knowledge if item.name.lower() in adversary["knows"]]
        used = {key: value for key, value in claim["parameters"].items() if value not in (None, [], "")}
        words = {part: str(claim[part]) for part in ("model", "promise", "limits", "bound", "basis")}
        against, column = str(adversary["name"]), claim["column"] and str(claim["column"])
    except (KeyError, TypeError, ValueError, AttributeError):
        words = dict.fromkeys(("model", "limits", "bound", "basis"), "") | {"promise": "This claim cannot be read."}
        known, used, against, column, excludes = [], {}, "", None, 0
    names = claim.get("quasi") if isinstance(claim, Mapping) else None
    listed = ", ".join(map(str, names)) if isinstance(names, list) else ""
    told = {
        Knowledge.EXCLUSION: f" (up to {excludes})" if excludes else "",
        Knowledge.QUASI: f" ({listed})" if listed else "",
    }
    beyond = [item.value for item in Knowledge if item not in known]
    if Knowledge.EXCLUSION in known:
        beyond.append(f"more than {excludes} sensitive values that the person does not have")
    return {
        **words,
        "parameters": used,
        "column": column,
        "against": against,
        "knows": [item.name.lower() for item in known],
        "may_know": [item.value + told.get(item, "") for item in known],
        "not_covered": beyond,
    }


def _attacks(audit: Audit) -> dict[str, Any]:
    found = audit.as_json()
    for item, finding in zip(found["findings"], audit.findings, strict=True):
        item["limit"] = float(finding.bound) if finding.bound is not None else None
        item["scale"] = charts.scale_of(finding.belief.limits)
        item["knows"] = [part.value for part in Knowledge if part in finding.adversary.knows]
    return {**found, "curve": charts.over_people(audit.findings)}


def _adversaries(audit: Audit) -> list[dict[str, Any]]:
    """The matrix: who tries what, what they come to believe of the worst-off person, and whether that was promised.
    Where presets were asked for, each is one adversary; else those who know the same are."""
    rows: dict[Any, dict[str, Any]] = {}
    for finding in audit.findings:
        who = finding.adversary
        for key in finding.by or ((who.name, who.knows, who.excludes),):
            preset = Preset.find(key).as_json() if isinstance(key, str) else None
            row = rows.setdefault(
                key, {"name": preset["title"] if preset else who.name, "preset": preset, "knows": set(), "tries": []}
            )
            row["knows"] |= who.knows
            row["tries"].append(_try(finding))
    told = [{**row, "knows": [item.value for item in Knowledge if item in row["knows"]]} for row in rows.values()]
    # who has something promised against them comes first
    return sorted(told, key=lambda row: not any(item["inside"] for item in row["tries"]))


def _try(finding: Finding) -> dict[str, Any]:
    return {
        "title": finding.title,
        "limits": finding.belief.limits,
        "worst": finding.belief.worst,
        "worst_before": finding.before.worst if finding.before else None,
        "bound": str(finding.bound) if finding.bound is not None else None,
        "inside": finding.inside,
        "passed": finding.passed,
    }


def _recipient(release: Release, losses: Losses | None) -> dict[str, Any]:
    """What can be computed from the release, and how well, as far as it was measured."""
    across = [name for name, cls in registered_classes("measures").items() if getattr(cls, "across", False)]
    known = [item.as_json() for item in losses.items if item.measure in across] if losses else []
    return {"can": list(release.words.can), "cannot": list(release.words.cannot), "measured": known}


def _limits(promises: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, str]], attacked: bool) -> list[str]:
    """What is not promised, as far as the claims and the columns tell."""
    covered, against = {claim["column"] for claim in promises}, {item for claim in promises for item in claim["knows"]}
    other = [column["name"] for column in columns if column["role"] == "other"]
    bare = [column["name"] for column in columns if column["role"] == "sensitive" and column["name"] not in covered]
    said = [
        "Every promise counts on the choice of the quasi-identifier: a column that an adversary knows about people, "
        "but that has another role here, is not accounted for."
    ]
    if any(claim["limits"] == "identity" for claim in promises):
        said.append(
            "A limit on identity, such as k-anonymity, says nothing about shared values: if all people of a group have "
            "the same value, it is known for each of them without finding anybody's row."
        )
    if bare:
        said.append(f"No claim limits what can be believed about the sensitive {_named(bare)}.")
    if other:
        said.append(f"Published as in the original table, with no claim about it: the {_named(other)}.")
    if "algorithm" not in against:
        said.append(
            "Nothing here holds against someone who knows the algorithm and reasons about why it grouped people as it "
            "did (a minimality attack)."
        )
    if "corruption" not in against:
        said.append("Nothing here holds against someone who knows the sensitive values of other people in the table.")
    said.append(
        "Each promise is about this release alone. A second release of the same people can be combined with it, and "
        "together they may tell more than either."
    )
    listed = "The attacks are those listed and no others; one that was not run could still succeed."
    return [*said, listed if attacked else "No attack was run for this report."]


def _named(columns: Sequence[str]) -> str:
    """A few names in full, of many the first."""
    shown = ", ".join(f"'{name}'" for name in columns[:6])
    more = f" and {len(columns) - 6} more" if len(columns) > 6 else ""
    return f"column{'' if len(columns) == 1 else 's'} {shown}{more}"
