"""Open the inputs of a command: plug-ins, a release, the table behind it, statistics, a ledger."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from voile.cli.flags import parse_pair
from voile.cli.unused_options import refuse_unused

if TYPE_CHECKING:
    from voile.adversaries.ledger import Ledger
    from voile.adversaries.prior import Prior
    from voile.cli.flags import EngineOptions, ReadOptions
    from voile.io.release_folder.signature import SigningKey
    from voile.releases.release import Release
    from voile.results import Verdict
    from voile.tables.microdata import Microdata


def load_plugins(sources: list[str] | None) -> None:
    """Load the plug-ins that --plugin names."""
    from voile.plugins.registry import load_plugin

    for source in sources or ():
        load_plugin(source)


def open_release(folder: Path, engine_options: EngineOptions, watch: Any = None) -> tuple[Release, Verdict]:
    """Verify a folder; return the release that was verified, and the verdict. A broken release is refused."""
    from voile.engines.selection import choose_engine
    from voile.flow.checking.check_folder import check_folder

    verdict, release = check_folder(folder, engine=choose_engine(folder, engine_options, watch))
    verdict.or_raise()
    assert release is not None  # a folder that cannot be read is broken
    return release, verdict


def open_table(
    release: Release,
    source: str,
    hierarchies: Path | None,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    watch: Any = None,
    *,
    person: str | None = None,
    guarding: list[str] | None = None,
) -> Microdata:
    """Read the table that a release was made from, under the schema that its dictionary describes. With a column of
    persons, as many rows of each of them are taken as the release's unit allows; `guarding` are the columns of guarding
    nodes, as typed."""
    from voile.engines.selection import choose_engine
    from voile.flow.read.read import read
    from voile.flow.request.release_schema import table_schema
    from voile.io.hierarchy_files import find_hierarchies

    guards = dict(map(parse_pair, guarding or ()))
    schema = table_schema(release, find_hierarchies(hierarchies) if hierarchies else None, person, guards)
    return read(source, schema, **read_options, engine=choose_engine(source, engine_options, watch))


def open_register(
    release: Release, source: Path | None, hierarchies: Path | None, read_options: ReadOptions
) -> Microdata | None:
    """Read a register of the population, if there is one: only the quasi-identifier columns of the release."""
    from voile.flow.read.read import read
    from voile.flow.request.release_schema import register_schema
    from voile.io.hierarchy_files import find_hierarchies

    if source is None:
        return None
    schema = register_schema(release, find_hierarchies(hierarchies) if hierarchies else None)
    return read(source, schema, **file_options(read_options))


def file_options(read_options: ReadOptions) -> ReadOptions:
    """Return the reading options that apply to a further file: all but the query, which belongs to the table."""
    return {name: value for name, value in read_options.items() if name != "query"}


def read_priors(release: Release, files: list[Path] | None) -> list[Prior]:
    """Read the statistics of each file, for the columns that the release's claims rest on."""
    if not files:
        return []
    from voile.flow.explore.learn_prior import read_prior

    claims = [
        claim for claim in release.certificate.claims if isinstance(claim, dict) and claim.get("basis") == "prior"
    ]
    if not claims:
        refuse_unused("no claim of this release rests on statistics", {"prior": files})
    columns = {str(claim.get("column")) for claim in claims}
    return [read_prior(path, column) for path in files for column in sorted(columns)]


def open_ledger(path: str | Path | None) -> Ledger | None:
    """Read a ledger, or start a fresh one if the file does not exist yet."""
    from voile.adversaries.ledger import Ledger

    return Ledger.open(path) if path is not None else None


def open_signing_key(path: Path | None) -> SigningKey | None:
    """Read the key that signs a release; ask for its passphrase where there is a terminal to ask at."""
    if path is None:
        return None
    from voile.io.release_folder.signature import read_signing_key

    return read_signing_key(path, _ask_passphrase if sys.stdin.isatty() else None)


def _ask_passphrase() -> str:
    return str(typer.prompt("Passphrase of the signing key", default="", hide_input=True, show_default=False, err=True))
