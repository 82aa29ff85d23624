"""The screen that decides: what is promised, against whom, what is lost, what to watch out for, and what that means for
singling out, linkability and inference (the three risks of the European authorities' opinion 05/2014)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from voile.errors import RECOGNISABLE, VoileError
from voile.flow.report.page_rendering import bound, percent
from voile.flow.report.sections import columns, promises
from voile.flow.report.sections.limits import name_columns
from voile.flow.report.subject import Subject
from voile.measures.release_view import count_stars
from voile.models.r_robustness import describe_own_exceptions

LOST = 0.9  # certainty penalty from which on a column is lost
MOST = 6  # points to mind
BELIEFS = ("belief", "protected belief", "gain", "privacy loss")
RISKS = {
    "Singling out": "finding the row of one person",
    "Linkability": "joining a row with the same person's in another file",
    "Inference": "learning a secret of a person",
}


def fill(subject: Subject) -> dict[str, Any]:
    claims = promises.fill(subject)["promises"]
    return {
        "overview": {
            "promised": list(dict.fromkeys(claim["promise"] for claim in claims)),
            "against": list(dict.fromkeys(_describe_adversary(claim) for claim in claims if claim["against"])),
            "lost": list(_list_losses(subject)),
            "mind": list(_list_points(subject, claims))[:MOST],
            "risks": _map_risks(subject, claims),
        }
    }


def _describe_adversary(claim: Mapping[str, Any]) -> str:
    article = "an" if claim["against"][:1].lower() in "aeiou" else "a"
    return f"{article} {claim['against']} who knows at most {'; '.join(claim['may_know'])}"


def _list_losses(subject: Subject) -> Iterator[str]:
    """Say what readers lose: rows, detail, and columns."""
    withheld = subject.release.dictionary.get("withheld", 0)
    if withheld:
        yield f"{withheld:,} rows are withheld."
    stars = _share_stars(subject)
    if stars:
        most = sorted(stars.items(), key=lambda part: -part[1])[:MOST]
        yield f"Cells that say nothing (*): {', '.join(f'{name} {percent(share)}' for name, share in most)}."
    if subject.losses is None:
        yield "Nothing else was measured: that needs the original table."
        return
    for item in subject.losses.items:
        if item.measure == "marginals":
            yield (
                f"{percent(item.value)} of the people are counted under another value, on average over all tables of "
                "one and two columns."
            )
        if item.measure == "certainty" and item.parts:
            worst = sorted(item.parts.items(), key=lambda part: -part[1])[:3]
            named = ", ".join(f"{name} (loss {loss:.2f})" for name, loss in worst)
            yield f"Least exact: {named}; 0 is as exact as before, 1 is nothing left."


def _list_points(subject: Subject, claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """List what the person who decides should mind, the gravest first."""
    described = columns.fill(subject)["columns"]
    covered = {claim["column"] for claim in claims}
    if not subject.release.shows_boxes:
        yield RECOGNISABLE
    counted = subject.verdict.counted or dict(subject.release.counted)
    exceptions = describe_own_exceptions(subject.release.with_counted(counted)) if counted else ""
    if exceptions:
        yield exceptions
    measured = subject.losses.items if subject.losses else ()
    parts = next((item.parts for item in measured if item.measure == "certainty"), {})
    lost = [name for name, loss in parts.items() if loss >= LOST]
    if lost:
        yield f"Hardly anything is left of the {name_columns(lost)}: consider leaving it out, or a weaker promise."
    bare = [item["name"] for item in described if item["role"] == "sensitive" and item["name"] not in covered]
    if bare:
        yield f"Nothing limits what is believed about the {name_columns(bare)}."
    other = [item["name"] for item in described if item["role"] == "other"]
    if other:
        yield f"Published unchanged, with no claim about it: the {name_columns(other)}."
    if subject.unit.rows == 1 and not subject.unit.checked:
        yield "Nobody checked that every row is a different person."
    outside = [finding for finding in subject.audit.findings if not finding.inside] if subject.audit else []
    bets = [finding for finding in outside if finding.belief.limits not in ("gain", "distance")]
    if bets:
        most = max(bets, key=lambda finding: finding.belief.worst)
        yield (
            f"Outside the promise, the attack “{most.title}” is {percent(most.belief.worst)} certain about the person "
            "most at risk."
        )
    if subject.audit is None:
        yield "No attack was run."
    yield "A later release about the same people must be judged together with this one."


def _map_risks(subject: Subject, claims: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Say for each of the three risks whether a claim bounds it, and how. A broken release bounds nothing."""
    failed = subject.audit is not None and any(item.inside and not item.passed for item in subject.audit.findings)
    if subject.answer == "broken" or failed:
        why = "The release does not keep its promise."
        return [{"name": name, "meaning": meaning, "bounded": "no", "how": why} for name, meaning in RISKS.items()]
    boxes = subject.release.shows_boxes
    identity = boxes and any(claim["limits"] == "identity" or claim["model"] == "alpha-k-anonymity" for claim in claims)
    opened = "no claim bounds it" if boxes else "exact quasi-identifiers are shown: everyone is recognisable"
    together = any("earlier" in claim["knows"] for claim in claims)
    later = "earlier releases of the same people are covered" if together else "other releases of them are not covered"
    known = f"bounded like singling out, by the columns that count as known; {later}"
    singling = "every row looks like those of others, as promised above"
    bounded = "yes" if identity else "no"
    linked = "partly" if identity and not together else bounded
    states = [(bounded, singling if identity else opened), (linked, known if identity else opened)]
    states.append(_judge_inference(subject, claims))
    return [
        {"name": name, "meaning": meaning, "bounded": state, "how": f"{how[:1].upper()}{how[1:]}".rstrip(".") + "."}
        for (name, meaning), (state, how) in zip(RISKS.items(), states, strict=True)
    ]


def _judge_inference(subject: Subject, claims: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Say whether claims bound what is believed about every sensitive column: yes, partly or no."""
    secrets = [entry["name"] for entry in columns.fill(subject)["columns"] if entry["role"] == "sensitive"]
    bounding = [claim for claim in claims if claim["limits"] in BELIEFS and _has_limit(claim)]
    covered = {claim["column"] for claim in bounding}
    left = [name for name in secrets if name not in covered]
    if not secrets:
        return "no", "no column is marked as secret"
    if not bounding:
        return "no", "no claim bounds what is believed about a secret"
    partly = bool(left) or any(claim["limits"] == "protected belief" for claim in bounding)
    missing = f"; nothing bounds the {name_columns(left)}" if left else ""
    words = " ".join(dict.fromkeys(claim["promise"] for claim in bounding)).rstrip(".")
    return ("partly" if partly else "yes"), f"{words}{missing}"


def _has_limit(claim: Mapping[str, Any]) -> bool:
    return bound(claim["bound"], claim["limits"]) not in ("no limit", "–", "")


def _share_stars(subject: Subject) -> dict[str, float]:
    """Return the share of `*` in each column that has any; nothing where a broken release does not tell."""
    try:
        total = max(subject.release.people, 1)
        return {name: rows / total for name, rows in count_stars(subject.release).items() if rows}
    except (VoileError, KeyError):
        return {}
