"""What an adversary who knows only some quasi-identifier columns sees of a release: the others tell nobody apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from voile.releases.cells.end_columns import end_names
from voile.releases.cells.group_means import mean_name
from voile.releases.release import Release


def project_release(release: Release, names: Sequence[str]) -> Release:
    """Return a release with these quasi-identifier columns alone, and with the claims about them. Rows with equal cells
    in them form a group."""
    unknown = [entry for entry in release.described("quasi") if entry["name"] not in names]
    dropped = {str(name) for entry in unknown for name in (entry["name"], *end_names(entry), mean_name(entry))}
    entries = [entry for entry in release.dictionary["columns"] if entry["name"] not in dropped]
    tables = {
        name: table.drop([column for column in table.columns if column in dropped])
        for name, table in release.tables.items()
    }
    claims = tuple(claim for claim in release.certificate.claims if claim.get("quasi") == list(names))
    dictionary = {**release.dictionary, "columns": entries, "quasi_sets": [list(names)]}
    return replace(
        release, tables=tables, dictionary=dictionary, certificate=replace(release.certificate, claims=claims)
    )
