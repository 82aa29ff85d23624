"""`voile verify`: anyone can check a published folder; a publisher with the table and the key can check more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voile.cli.flags import (
    After,
    Data,
    EngineOptions,
    Guarding,
    HierarchyFolder,
    Json,
    KeyFile,
    LedgerFile,
    Person,
    Plugins,
    ReadOptions,
    SignerFile,
    with_table_options,
)
from voile.cli.inputs import load_plugins, open_table, read_priors
from voile.cli.project_inputs import OptionalFolder, ProjectName, ProjectTableName, find_release
from voile.cli.terminal import print_json, show_verdict
from voile.cli.unused_options import refuse_unused, refuse_unused_evidence, refuse_unused_reading
from voile.errors import BrokenPromise

if TYPE_CHECKING:
    from voile.adversaries.ledger import Ledger
    from voile.adversaries.private_file import PrivateFile
    from voile.io.release_folder.signature import SignerKey
    from voile.models.evidence import Evidence
    from voile.releases.release import Release
    from voile.tables.secret_key import Key


@with_table_options
def verify(
    release: OptionalFolder = None,
    prior: Annotated[
        list[Path] | None, typer.Option(help="Statistics that a claim of r-robustness rests on; CSV or Parquet.")
    ] = None,
    after: After = None,
    data: Data = None,
    person: Person = None,
    guarding: Guarding = None,
    key_file: KeyFile = None,
    ledger: LedgerFile = None,
    hierarchies: HierarchyFolder = None,
    signer: SignerFile = None,
    private: Annotated[
        Path | None, typer.Option(help="The private file that `voile publish --private` wrote; keep it secret.")
    ] = None,
    project: ProjectName = None,
    table: ProjectTableName = None,
    *,
    read_options: ReadOptions,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Check everything that a published folder claims; exit 5 if any claim is broken.

    Joint claims need the earlier releases (--after, oldest first) and, where these leave it open, the ledger
    (--ledger); claims that rest on random numbers need the table and the key (--data, --key-file); guarding nodes per
    person need the table and the column that names them (--data, --guarding). With the table and the column that tells
    people apart (--data, --person), it is checked that nobody has more rows than the release says. With a public key
    (--signer), it is checked who signed the release. The publisher's private file (--private) has the statistics that a
    claim of r-robustness rests on, and the key. With --project it is the last release of a project.
    """
    from voile.engines.selection import choose_engine
    from voile.flow.checking.check_folder import check_folder
    from voile.flow.verify.verify import gather_evidence

    release, found = find_release(project, table, release, {"after": after, "ledger": ledger})
    after, ledger = found["after"], found["ledger"]
    refuse_unused_reading(read_options, data)
    if data is None:
        needs_table = {"person": person, "guarding": guarding, "key-file": key_file, "hierarchies": hierarchies}
        refuse_unused("the table is not given", needs_table)
    if not after:
        refuse_unused("no earlier releases are given", {"ledger": ledger})
    if private is not None:
        refuse_unused("the private file has the key", {"key-file": key_file})
    load_plugins(plugin)
    kept, key, book, signer_key = _read_own_files(private, key_file, ledger, signer)

    def read_evidence(opened: Release) -> Evidence:
        """Read the publisher's own evidence, under the schema that the release's dictionary describes."""
        given = {
            "data": data,
            "person": person,
            "guarding": guarding,
            "key-file": key_file,
            "ledger": ledger,
            "after": after,
        }
        refuse_unused_evidence(opened, {**given, "private": private})
        original = None
        if data is not None:
            original = open_table(
                opened, data, hierarchies, read_options, engine_options, person=person, guarding=guarding
            )
        known = read_priors(opened, prior)
        past = after or ()
        return gather_evidence(opened, prior=known, after=past, data=original, key=key, ledger=book, private=kept)

    verdict, _ = check_folder(release, read_evidence, choose_engine(release, engine_options), signer_key)
    used = "with the table and the key" if data and (key or kept) else "with the table" if data else ""
    used = used or (
        "with the private file" if kept else "with the ledger" if book else "from the published files alone"
    )
    print_json(verdict.as_json()) if as_json else show_verdict(verdict, f"Verified {used}")
    if verdict.broken:
        raise typer.Exit(BrokenPromise.exit_code)


def _read_own_files(
    private: Path | None, key_file: Path | None, ledger: Path | None, signer: Path | None
) -> tuple[PrivateFile | None, Key | None, Ledger | None, SignerKey | None]:
    """Read the files that only the publisher has, and the public key; what they need is loaded where they are given."""
    own_file = key = book = signer_key = None
    if private:
        from voile.adversaries.private_file import PrivateFile

        own_file = PrivateFile.read(private)
    if key_file:
        from voile.tables.secret_key import Key

        key = Key.read(key_file)
    if ledger:
        from voile.adversaries.ledger import Ledger

        book = Ledger.read(ledger)
    if signer:
        from voile.io.release_folder.signature import read_signer

        signer_key = read_signer(signer)
    return own_file, key, book, signer_key
