"""Check group means: within what the cells allow they are the publisher's word, unless the table is there."""

from __future__ import annotations

from voile.adversaries.adversary import join_phrases
from voile.models.evidence import Evidence
from voile.plugins.counted_nouns import count_noun
from voile.releases.cells.group_means import average_groups, compute_means
from voile.releases.release import Release
from voile.results import Answer, Checked

TITLE = "group means"
MOST_PAIRS = 1_000_000_000  # of distinct rows and groups that are compared


def note_means(release: Release, check: Checked | None) -> list[str]:
    """Say what was not checked."""
    if check is not None or not release.mean_names:
        return []
    names = join_phrases([repr(name) for name in release.mean_names])
    return [f"What {names} states is the publisher's word, within what the cells allow."]


def check_means(release: Release, evidence: Evidence) -> Checked | None:
    """Compare group means with the table; None where there are none, or where the table does not tell who is in which
    group."""
    data = evidence.data
    if not release.mean_names or data is None:
        return None
    table = data.rows.histogram([str(entry["name"]) for entry in release.described("quasi")])
    if len(table.counts) * release.groups > MOST_PAIRS:
        return None
    home = release.locate(data)
    if (home < 0).any():
        return None
    rows = data.rows.collect().place(table, home)
    if rows.groups != release.groups or (rows.count_people() != release.sizes).any():
        return Checked(TITLE, Answer.BROKEN, "The groups have other people than the table.")
    wrong = 0
    for entry in release.described("quasi"):
        stated = release.stated_means.get(str(entry["name"]))
        if stated is not None:
            cells, cell = release.box_cells[str(entry["name"])]
            means = average_groups(data.columns[str(entry["name"])], rows)
            wrong += int((compute_means(entry, cells, cell, means) != stated).sum())
    if wrong:
        return Checked(TITLE, Answer.BROKEN, f"{count_noun(wrong, 'mean')} of the table would be others.")
    return Checked(TITLE, Answer.HOLDS, "They are those of the table.")
