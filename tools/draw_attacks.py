"""Draw the examples of docs/attacks.md: docs/pictures/attacks/*.svg.

    python tools/draw_attacks.py

The page's own code is run. Groups and values are those of its releases, and the bar is the belief that the audit found.
Only the sentence, the group looked at, and what the adversary strikes out are said here.
"""

from __future__ import annotations

import contextlib
import html
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import voile as vl

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "attacks.md"
PICTURES = ROOT / "docs" / "pictures" / "attacks"
Row = dict[str, Any]

WIDTH, TILE, GAP, HEAD = 720, 92, 6, 16
INK, PALE, LINE, GUILTY = "#1f2933", "#f2f4f7", "#b8c1cc", "#b42318"


@dataclass(frozen=True)
class Story:
    """What the adversary of one attack knows, which group they look at, and which rows they strike out."""

    sentence: str
    focus: str = ""  # how the cells of the group begin
    strikes: Callable[[Row], bool] = lambda row: False


STORIES = {
    "linking": Story("You know that Ann is 33. Three rows fit her, and each is hers with probability 1/3.", "[31"),
    "homogeneity": Story("Whichever row is Bob's, who is 55: he has HIV.", "[52"),
    "elimination": Story(
        "Ann was never absent, so it is no flu. One value is left.", "[31", lambda row: row["disease"] == "flu"
    ),
    "skewness": Story("Half of the table has HIV, and all of Bob's group: belief rises by one half.", "[52"),
    "prior": Story("A woman and a man share two values. No man has breast cancer, so it is hers.", "f"),
    "minimality": Story(
        "Towns a and b were not cut apart. Only if both people of town a have HIV, the cut was forbidden."
    ),
    "corruption": Story(
        "The two others have told what they have. What remains is Ann's.", "[31", lambda row: row["disease"] == "flu"
    ),
    "chain": Story(
        "There is insulin on Carl's desk, so one row fits him.", strikes=lambda row: row["drug"] != "insulin"
    ),
    "exclusion": Story(
        "It is not the antiviral, so it is not HIV either.", strikes=lambda row: row["drug"] == "antiviral"
    ),
    "subtraction": Story(
        "Last year's group had gout and a cold. Take them away: what is left belongs to the newcomer, who is 33.",
        "[33",
        lambda row: row["disease"] in ("gout", "cold"),
    ),
}


def run_page() -> dict[str, tuple[Any, Any]]:
    """Run the page's code. Return for each attack the release and the worst finding of the first time it was shown."""
    shown: dict[str, tuple[Any, Any]] = {}

    def show(release: Any, attack: Any, *data: Any, **known: Any) -> None:
        audit: Any = vl.audit
        finding = worst_of(audit(release, *data, attacks=[attack], **known))
        shown.setdefault(attack.name, (release, finding))

    space: dict[str, Any] = {"__name__": "page"}
    for body in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(body, space)
        space["show"] = show  # in the place of the page's own
    return shown


def worst_of(audit: Any) -> Any:
    """Return the finding with the largest belief."""
    return max(audit.findings, key=lambda finding: finding.belief.worst)


def list_groups(release: Any) -> list[tuple[str, list[Row]]]:
    """List the groups of a release: the cells that its people share, and the sensitive parts of their rows."""
    groups: dict[str, list[Row]] = {}
    if "table" in release.tables:
        names = [entry["name"] for entry in release.dictionary["columns"] if entry["role"] == "quasi"]
        for row in release.tables["table"].rows(named=True):
            cells = ", ".join(str(row[name]) for name in names)
            values = {name: row[name] for name in row if name not in names and not name.endswith(("_low", "_high"))}
            groups.setdefault(cells, []).append(values)
        return sorted(groups.items())
    quasi, sensitive = release.tables["quasi"], release.tables["sensitive"]
    for group in quasi["group"].unique().sort().to_list():  # many are alike: one of each is drawn
        cells = ", ".join(sorted(quasi.filter(quasi["group"] == group)["sex"].cast(str).to_list()))
        listed = sensitive.filter(sensitive["group"] == group).rows(named=True)
        groups.setdefault(cells, [{"disease": row["disease"]} for row in listed for _ in range(row["count"])])
    return [found for found in sorted(groups.items()) if "f" in found[0] and "m" in found[0]]


def draw_attack(name: str, release: Any, finding: Any) -> str:
    """Draw the groups of a release as tiles, and the belief of an attack as a bar."""
    story = STORIES[name]
    groups = list_groups(release)
    if not any(cells.startswith(story.focus) for cells, _ in groups):
        raise ValueError(f"{name}: no group begins with {story.focus!r}, of {[cells for cells, _ in groups]}")
    parts: list[str] = []
    top = HEAD + 26
    for cells, rows in groups:
        parts += draw_group(cells, rows, top, story)
        top += 62
    parts += draw_bar(finding.belief.worst, finding.belief.baseline, top + 4)
    parts.append(text(HEAD, HEAD + 6, story.sentence, 14, INK))
    height = top + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" role="img"><title>{html.escape(story.sentence)}</title>'
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def draw_group(cells: str, rows: list[Row], top: int, story: Story) -> Iterator[str]:
    """Draw one group: its cells, and a tile for each of its rows."""
    seen = cells.startswith(story.focus)
    yield text(HEAD, top + 10, cells, 12, INK if seen else LINE)
    for place, row in enumerate(rows):
        left = HEAD + place * (TILE + GAP)
        struck = seen and story.strikes(row)
        words = list(map(str, row.values()))
        color = INK if seen and not struck else LINE
        yield f'<rect x="{left}" y="{top + 16}" width="{TILE}" height="36" rx="4" fill="{PALE}" stroke="{color}"/>'
        for line, word in enumerate(words):
            yield text(left + 6, top + (38 if len(words) == 1 else 31 + 15 * line), word, 12, color)
        if struck:
            ends = f'x1="{left}" y1="{top + 52}" x2="{left + TILE}" y2="{top + 16}"'
            yield f'<line {ends} stroke="{GUILTY}" stroke-width="2"/>'


def draw_bar(worst: float, baseline: float, top: int) -> Iterator[str]:
    """Draw the belief that the attack reaches, with a mark where somebody who does not know the group stands."""
    width = 400
    yield f'<rect x="{HEAD}" y="{top}" width="{width}" height="14" fill="{PALE}" stroke="{LINE}"/>'
    yield f'<rect x="{HEAD}" y="{top}" width="{width * worst:.0f}" height="14" fill="{GUILTY}"/>'
    at = HEAD + width * baseline
    yield f'<line x1="{at:.0f}" y1="{top - 4}" x2="{at:.0f}" y2="{top + 18}" stroke="{INK}" stroke-width="2"/>'
    yield text(HEAD + width + 12, top + 12, f"{worst:.2f}; without the groups {baseline:.2f}", 12, INK)


def text(left: int, base: int, words: str, size: int, color: str) -> str:
    """Return a line of text."""
    return f'<text x="{left}" y="{base}" font-size="{size}" fill="{color}">{html.escape(words)}</text>'


def draw_all() -> dict[str, str]:
    """Draw every attack that has a story."""
    with contextlib.redirect_stdout(io.StringIO()):
        shown = run_page()
    return {f"{name}.svg": draw_attack(name, *shown[name]) for name in STORIES}


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, drawing in draw_all().items():
        (PICTURES / name).write_text(drawing, encoding="utf-8")
