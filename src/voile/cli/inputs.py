"""What commands open before they work: plug-ins, a release, the table behind it, statistics, a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voile.adversaries.ledger import Ledger
    from voile.adversaries.prior import Prior
    from voile.cli.flags import Engine, Reading
    from voile.releases.release import Release
    from voile.results import Verdict
    from voile.tables.microdata import Microdata


def open_plugins(named: list[str] | None) -> None:
    from voile.plugins.registry import load_plugin

    for source in named or ():
        load_plugin(source)


def open_release(place: Path, told: Engine | None = None, watch: Any = None) -> Release:
    """A folder whose claims hold; what is broken is not attacked or measured but refused."""
    return opened(place, told, watch)[0]


def opened(place: Path, told: Engine | None = None, watch: Any = None) -> tuple[Release, Verdict]:
    """The same, and what was verified."""
    from voile.flow.checking.load import load
    from voile.flow.read.chunked_reading import engine_for
    from voile.flow.verify.verify import verify

    engine = engine_for(place, told or {}, watch)
    verdict = verify(place, engine=engine).or_raise()
    return load(place, engine=engine), verdict


def open_table(
    release: Release,
    source: str,
    trees: Path | None,
    reading: Reading,
    person: str | None = None,
    told: Engine | None = None,
    watch: Any = None,
) -> Microdata:
    """The table that a release was made from, under the schema that its dictionary tells."""
    from dataclasses import replace

    from voile.flow.read.chunked_reading import engine_for
    from voile.flow.read.read import read
    from voile.flow.request.request import schema_of
    from voile.io.hierarchy_files import find_hierarchies

    schema = schema_of(release, find_hierarchies(trees) if trees else None)
    engine = engine_for(source, told or {}, watch)
    return read(source, replace(schema, person=person) if person else schema, **reading, engine=engine)


def open_priors(release: Path, files: list[Path] | None) -> list[Prior]:
    """The statistics of each file, about the column that the release's claims rest on."""
    if not files:
        return []
    from voile.flow.explore.learn_prior import read_prior
    from voile.io import release_folder

    claims = release_folder.read_documents(release).certificate.get("claims", [])
    resting = [claim for claim in claims if isinstance(claim, dict) and claim.get("basis") == "prior"]
    columns = {str(claim.get("column")) for claim in resting}
    return [read_prior(path, column) for path in files for column in sorted(columns)]


def open_ledger(place: str | Path | None) -> Ledger | None:
    """The ledger of a file, or a fresh one where there is none yet."""
    from voile.adversaries.ledger import Ledger

    if place is None:
        return None
    return Ledger.read(place) if Path(place).exists() else Ledger()
