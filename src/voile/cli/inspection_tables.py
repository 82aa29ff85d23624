"""The tables of `voile inspect`: columns, people who stand out, and how anonymous the table is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from voile.cli.terminal import print_table

if TYPE_CHECKING:
    from voile.flow.explore.anonymity import Anonymity
    from voile.flow.explore.inspection import Inspection

ROLE_WORDS = {"quasi": "quasi-identifier", "": "leave out"}


def show_inspection(inspection: Inspection) -> None:
    """Print an inspection: columns with suggested roles, who stands out, what causes it, and the measures of groups."""
    typer.echo(f"{inspection.people:,} {inspection.row_noun}, {len(inspection.columns)} columns")
    for repeat in inspection.repeats:
        typer.echo(f"{repeat}, up to {repeat.most:,} rows each.")
    if inspection.suggested_person and inspection.whole and inspection.whole.people != inspection.people:
        typer.echo(f"{inspection.whole.people:,} people are told apart by {inspection.suggested_person}.")
    rows = [
        [
            column.name,
            column.kind,
            f"{column.distinct:,}",
            f"{column.missing:,}",
            f"{column.alone:,}",
            ROLE_WORDS.get(column.role, column.role),
            column.why,
        ]
        for column in inspection.columns
    ]
    heads = ["column", "kind", "values", "missing", "alone", "suggested role", "why"]
    print_table("Columns (the roles are guesses: decide each one)", heads, rows, 0)
    if inspection.whole is None:
        typer.echo("No column is taken as known to others, so nobody is counted as standing out.")
        return
    _show_uniqueness(inspection)
    if inspection.anonymity is not None:
        _show_anonymity(inspection.anonymity)
    typer.echo("These are facts about this table, not a promise about the people in it.")


def _show_uniqueness(inspection: Inspection) -> None:
    whole = inspection.whole
    assert whole is not None
    typer.echo(
        f"{whole.alone:,} of {whole.people:,} ({100 * whole.share:.1f} %) share their values of "
        f"{', '.join(inspection.known)} with nobody; {whole.few:,} are in groups of fewer than 5."
    )
    rows = [
        [", ".join(item.columns), f"{item.alone:,}", f"{100 * item.share:.1f} %", f"{item.few:,}"]
        for item in inspection.riskiest()
    ]
    if rows:
        title = f"Who stands out ({len(inspection.combinations):,} of {inspection.possible:,} combinations counted)"
        print_table(title, ["known columns", "alone", "share", "groups of < 5"], rows, 3)
    if any(inspection.shares.values()):
        causes = [
            [name, f"{100 * inspection.shares[name]:.1f} %", f"{inspection.adds.get(name, 0):,}"]
            for name in sorted(inspection.known, key=lambda name: -inspection.shares[name])
        ]
        heads = ["column", "share of the uniqueness", "alone only because of it"]
        print_table("Which columns cause it", heads, causes, 2)


def _show_anonymity(anonymity: Anonymity) -> None:
    typer.echo(
        f"{anonymity.groups:,} groups of equal values; k = {anonymity.k}; a row is found with probability "
        f"{anonymity.average_risk:.4g} on average and {1 / anonymity.k:.4g} at worst."
    )
    for item in anonymity.sensitive:
        rows = [[name, f"{value:.4g}", meaning] for name, value, meaning in item.describe()]
        print_table(f"{item.column} in the groups (the worst group)", ["measure", "number", "what it says"], rows, 0)
