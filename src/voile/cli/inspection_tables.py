"""The tables of `voile inspect`: columns, people who stand out, and how anonymous the table is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from voile.cli.reading_notes import show_reading
from voile.cli.terminal import print_table
from voile.plugins.counted_nouns import count_noun

if TYPE_CHECKING:
    from voile.flow.explore.anonymity import Anonymity
    from voile.flow.explore.inspection import Inspection
    from voile.flow.explore.population.population_risk import PopulationRisk
    from voile.flow.explore.population.register_risk import RegisterRisk
    from voile.flow.explore.population.special_uniques import SpecialUniques

ROLE_WORDS = {"quasi": "quasi-identifier", "": "leave out", "unsure": "NOT SURE: decide"}


def show_inspection(inspection: Inspection) -> None:
    """Print an inspection: columns with suggested roles, who stands out, what causes it, and the measures of groups."""
    from voile.flow.explore.improvements import advise_categories

    typer.echo(f"{inspection.people:,} {inspection.row_noun}, {count_noun(len(inspection.columns), 'column')}")
    for repeat in inspection.repeats:
        typer.echo(f"{repeat}, up to {repeat.most:,} rows each.")
    if inspection.suggested_person and inspection.whole and inspection.whole.people != inspection.people:
        typer.echo(f"{inspection.whole.people:,} people are told apart by {inspection.suggested_person}.")
    show_reading(inspection, spelled=True)
    rows = [
        [
            column.name,
            column.kind,
            f"{column.distinct:,}",
            f"{column.missing:,}",
            f"{column.alone:,}",
            ROLE_WORDS.get(column.role, column.role),
            column.confidence,
            column.why,
        ]
        for column in inspection.columns
    ]
    heads = ["column", "kind", "values", "missing", "alone", "suggested role", "", "why"]
    print_table("Columns (the roles are guesses: decide each one)", heads, rows, 0)
    if inspection.undecided():
        typer.echo(inspection.describe_undecided())
    for sentence in inspection.describe_code_lists():
        typer.echo(sentence)
    for name in inspection.list_codes():
        typer.echo(advise_categories(name))
    if inspection.whole is None:
        typer.echo("No column is taken as known to others, so nobody is counted as standing out.")
        return
    _show_uniqueness(inspection)
    if inspection.anonymity is not None:
        _show_anonymity(inspection.anonymity)
    if inspection.population is not None:
        _show_population(inspection.population)
    if inspection.weight_note:
        typer.echo(inspection.weight_note)
    if inspection.register is not None:
        _show_register(inspection.register)
    if inspection.special_uniques is not None:
        _show_special_uniques(inspection.special_uniques)
    typer.echo("These are facts about this table, not a promise about the people in it.")


def _show_uniqueness(inspection: Inspection) -> None:
    whole = inspection.whole
    assert whole is not None
    typer.echo(
        f"{whole.alone:,} of {whole.people:,} {inspection.unit.noun} ({100 * whole.share:.1f} %) share their values of "
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


def _show_population(risk: PopulationRisk) -> None:
    from voile.flow.explore.population.population_risk import ASSUMPTIONS

    typer.echo(
        f"Estimated: {risk.low:,.0f} to {risk.high:,.0f} of {risk.population:,} people in the population are alone "
        f"({risk.sample:,} are in the table)."
    )
    rows = [[name, f"{number:,.0f}", ASSUMPTIONS[name]] for name, number in risk.estimates.items()]
    print_table("Alone in the population, by each estimator", ["estimator", "people", "assumes that"], rows, 0)
    source = "survey weights" if risk.weighted else "equal weights"
    typer.echo(
        f"Linked with the whole population ({source}), a row is found with probability {risk.mean_risk:.4g} on average "
        f"and {risk.worst_risk:.4g} at worst; {risk.expected_finds:,.1f} rows are expected to be found."
    )


def _show_register(risk: RegisterRisk) -> None:
    typer.echo(
        f"Register of {risk.people:,} people: k-map {risk.k_map}; {risk.alone:,} rows fit one person only; the chance "
        f"that somebody in it is in the table lies between {risk.delta_low:.4g} and {risk.delta_high:.4g}."
    )
    if risk.unmatched or risk.overfull:
        typer.echo(
            f"The register does not cover the table: {risk.unmatched:,} rows fit nobody, and {risk.overfull:,} groups "
            "have more rows than people. They are left out of these numbers."
        )


def _show_special_uniques(found: SpecialUniques) -> None:
    content = found.as_json()
    typer.echo(
        f"{content['rows']:,} rows are unique on a minimal set of up to {found.depth} columns (SUDA2); DIS-SUDA is "
        f"{content['mean_disclosure']:.4g} on average and {content['worst_disclosure']:.4g} at worst, for a sample of "
        f"{100 * found.fraction:.3g} %."
    )
    ranked = sorted(found.contributions.items(), key=lambda item: -item[1])
    rows = [[name, f"{100 * share:.1f} %"] for name, share in ranked]
    print_table("Which columns contribute to the scores (several may share a set)", ["column", "share"], rows, 1)
