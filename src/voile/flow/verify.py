"""Verify: recount everything that the certificate claims, with nothing but what is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from voile.core.certificate import FORMAT, Certificate
from voile.core.counts import Counts, sizes_only
from voile.core.evidence import Evidence
from voile.core.following import Ledger
from voile.core.kept import Kept
from voile.core.key import Key
from voile.core.method import Method
from voile.core.microdata import Microdata
from voile.core.plugin import build, find
from voile.core.policy import Model, Policy, claim
from voile.core.prior import Prior
from voile.core.release import Release, of_shape
from voile.core.results import Answer, Checked, Verdict
from voile.errors import BrokenPromise, DataError, PolicyError, SpecError, VoileError
from voile.flow.chunks import Engine
from voile.flow.pieces import Judged, combined, in_pieces, judged, with_totals
from voile.io import folder

OTHERWISE = "What it says was found is not what is found."


def verify(
    release: Release | str | Path,
    *,
    prior: Prior | Sequence[Prior] = (),
    after: Sequence[Release | str | Path] = (),
    data: Microdata | None = None,
    key: Key | None = None,
    ledger: Ledger | None = None,
    engine: Engine | None = None,
) -> Verdict:
    """Check a release, or a published folder: the files, the tables, and every claim.

    A folder needs no key, no data and no trust in who wrote it. Answers HOLDS or BROKEN for each claim; NEEDS where a
    claim rests on statistics (`prior`), or on coins that only the publisher can show again (`data` and `key`). `after`
    are earlier releases of the same people, and `ledger` the publisher's record of who was shown with which values.
    With an `engine` (`Disk()`, `Spark()`) a folder larger than memory is checked piece by piece.
    """
    priors = (prior,) if isinstance(prior, Prior) else tuple(prior)
    earlier = tuple(load(item) if isinstance(item, (str, Path)) else item for item in after)
    evidence = Evidence(priors, earlier, data, key, ledger)
    if isinstance(release, Release):
        return _checked(release, evidence)
    place = Path(release)
    document, _ = folder.read_documents(place)
    files = document.get("files")
    if not isinstance(files, dict) or folder.DICTIONARY not in files:
        return Verdict((Checked("certificate.json", Answer.BROKEN, "It lists no files."),))
    changed = folder.changed_files(place, files)
    if changed:
        return Verdict((Checked("files", Answer.BROKEN, " ".join(changed)),))
    checks = [Checked("files", Answer.HOLDS, f"{len(files)} digests agree.")]
    extra = sorted(found.name for found in place.iterdir() if found.name not in {*files, folder.CERTIFICATE})
    notes = (f"Not covered by the certificate: {', '.join(extra)}.",) if extra else ()
    try:
        found = _checked(load(place, engine=engine), evidence)
    except DataError as error:
        found = Verdict((Checked("tables", Answer.BROKEN, str(error)),))
    return replace(found, checks=(*checks, *found.checks), notes=notes)


def load(place: str | Path, *, engine: Engine | None = None) -> Release:
    """A published folder as a release. Its claims are as they stand in the certificate; `verify` checks them. With an
    `engine` the tables stay where they are."""
    place = Path(place)
    document, dictionary = folder.read_documents(place)
    try:
        if document["format"] != FORMAT:
            raise DataError(
                f"The certificate has format {document['format']!r}, this version reads {FORMAT}.",
                code="data.format",
                hint="Use a newer version of voile.",
            )
        shape = of_shape(str(document["shape"]))
        tables: Mapping[str, pl.DataFrame]
        if engine is not None and not any(str(name).endswith(".csv") for name in document["files"]):
            empty, slices = folder.slices(place, document["files"])
            tables = Kept(engine.listed([(one, empty) for one in slices], read_slice), empty)
        else:
            tables = folder.read_tables(place, document["files"])
        certificate = Certificate(
            shape.shape, document["method"], tuple(document["claims"]), str(document["tool"]), document["files"]
        )
    except (KeyError, TypeError, AttributeError):
        raise DataError(
            f"The certificate or dictionary of {place.name!r} lacks a part.",
            code="data.document",
            hint="Fetch the release again.",
        ) from None
    return shape(tables, dictionary, certificate)


def read_slice(item: tuple[Mapping[str, tuple[str, int, int]], dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Some rows of each table of a folder."""
    places, empty = item
    found = dict(empty)
    for name, (path, start, rows) in places.items():
        found[name] = pl.scan_parquet(path, glob=False).slice(start, rows).collect()
    return found


def _checked(release: Release, evidence: Evidence) -> Verdict:
    """The tables and every claim; piece by piece where the release lies in parts and the evidence allows it."""
    if not in_pieces(release) or evidence.earlier or evidence.data is not None:
        tables = _tables(release)
        people, groups = (0, 0) if tables.answer is Answer.BROKEN else (release.people, release.groups)
        return Verdict((tables, *_claims(release, evidence)), people=people, groups=groups)
    try:
        pieces = judged(release, evidence, judge_piece)
    except BrokenPromise as error:
        return Verdict((Checked("tables", Answer.BROKEN, str(error)),))
    faults = list(dict.fromkeys(fault for piece in pieces for fault in piece.faults))
    people, groups = (sum(getattr(piece, what) for piece in pieces) for what in ("people", "groups"))
    if faults or not people:
        return Verdict((Checked("tables", Answer.BROKEN, " ".join(faults or ["The release has no rows."])),))
    checks, found = combined(pieces)
    if not checks:
        checks = [Checked("claims", Answer.BROKEN, "Nothing is claimed.")]
    for number, (stated, told) in enumerate(zip(release.certificate.claims, found, strict=True)):
        if checks[number].answer is Answer.HOLDS and stated.get("found", {}) != told:
            checks[number] = Checked(checks[number].what, Answer.BROKEN, OTHERWISE)
    first = Checked("tables", Answer.HOLDS, f"{people} people in {groups} groups.")
    return Verdict((first, *checks), people=people, groups=groups)


def judge_piece(piece: Release, values: Mapping[str, pl.DataFrame], evidence: Evidence) -> Judged:
    """What a piece of a release says of every claim, and what is found in it."""
    try:
        faults, tallies, sizes = piece.faults(), with_totals(piece, values), piece.sizes
    except (VoileError, KeyError) as error:
        return Judged(1, 0, (str(error),), (), ())
    checks, found = [], []
    for stated in piece.certificate.claims:
        done, told = _judged(piece, stated, tallies, sizes, evidence)
        checks.append(done)
        found.append(told)
    return Judged(piece.people, len(sizes), faults, checks, found)


def _tables(release: Release) -> Checked:
    """The tables must be readable and agree with each other, whatever is claimed."""
    try:
        faults = release.faults()
        if release.people == 0:
            faults.append("The release has no rows.")
        groups = release.groups
    except (VoileError, KeyError) as error:
        return Checked("tables", Answer.BROKEN, str(error))
    if faults:
        return Checked("tables", Answer.BROKEN, " ".join(faults))
    return Checked("tables", Answer.HOLDS, f"{release.people} people in {groups} groups.")


def _claims(release: Release, evidence: Evidence) -> list[Checked]:
    claims = release.certificate.claims
    if not claims:
        return [Checked("claims", Answer.BROKEN, "Nothing is claimed.")]
    try:
        tallies, sizes = release.tallies, release.sizes
    except (VoileError, KeyError) as error:
        return [Checked("claims", Answer.BROKEN, str(error))]
    checks = []
    for stated in claims:
        done, found = _judged(release, stated, tallies, sizes, evidence)
        if done.answer is Answer.HOLDS and stated.get("found", {}) != found:
            done = Checked(done.what, Answer.BROKEN, OTHERWISE)
        checks.append(done)
    return checks


def _judged(
    release: Release, stated: Mapping[str, Any], tallies: Mapping[str, Counts], sizes: np.ndarray, evidence: Evidence
) -> tuple[Checked, dict[str, Any]]:
    """One claim: it must be well formed, follow from its own model, and hold in the tables; and what is found there."""
    try:
        name, column = str(stated["model"]), stated["column"]
        model = cast(Model, build("models", name, dict(stated["parameters"])))
        what = _title(model, column)
    except PolicyError as error:
        hint = "If a plug-in made it, name its module (--plugin)." if error.code == "policy.unknown-model" else ""
        return Checked(f"claim {stated.get('model')!r}", Answer.BROKEN, f"{error.message} {hint}".strip()), {}
    except (KeyError, TypeError, ValueError, SpecError):
        return Checked("claim", Answer.BROKEN, "It cannot be read."), {}
    if release.shape not in model.shapes:
        return Checked(what, Answer.BROKEN, f"It has no meaning for a {release.shape} release."), {}
    if model.reads_values and column not in tallies:
        return Checked(what, Answer.BROKEN, "It speaks of a column that is not published as sensitive."), {}
    counts = tallies[str(column)] if model.reads_values else sizes_only(sizes)
    try:
        model.check(counts.column)
        quasi = [str(entry["name"]) for entry in release.described("quasi")]
        expected = claim(model, counts.column, quasi).as_json()
    except SpecError as error:
        return Checked(what, Answer.BROKEN, str(error)), {}
    different = [part for part in expected if part != "parameters" and expected[part] != stated.get(part)]
    if different:
        return Checked(what, Answer.BROKEN, f"Its {', '.join(different)} does not follow from the model."), {}
    try:
        answer, detail = model.judge(release, counts, evidence)
        found = dict(model.found(release, counts, evidence)) if answer is Answer.HOLDS else {}
        if (
            answer is Answer.NEEDS
            and model.basis == "process"
            and evidence.data is not None
            and evidence.key is not None
        ):
            answer, detail = _made_again(release, evidence, evidence.data, evidence.key)
        return Checked(what, answer, detail), found
    except (VoileError, KeyError) as error:
        return Checked(what, Answer.BROKEN, str(error)), {}


def with_findings(release: Release, *, prior: Sequence[Prior]) -> Release:
    """The release, its claims stating what was found where their model finds something beyond the bound."""
    if not prior:
        return release
    evidence, claims = Evidence(tuple(prior)), []
    if in_pieces(release):
        _, told = combined(judged(release, evidence, judge_piece))
        stated_now = zip(release.certificate.claims, told, strict=True)
        claims = [{**stated, "found": found} if found else stated for stated, found in stated_now]
        return release.certified(replace(release.certificate, claims=tuple(claims)))
    for stated in release.certificate.claims:
        model = cast(Model, build("models", str(stated["model"]), dict(stated["parameters"])))
        found = model.found(release, release.tallies[str(stated["column"])], evidence) if model.reads_values else {}
        claims.append({**stated, "found": dict(found)} if found else stated)
    return release.certified(replace(release.certificate, claims=tuple(claims)))


def _made_again(release: Release, evidence: Evidence, data: Microdata, key: Key) -> tuple[Answer, str]:
    """Coins cannot be seen in a release; who has table and key can throw them again and compare."""
    from voile.flow.publish import publish  # publish ends with verify

    models = []
    for stated in release.certificate.claims:
        own = {"column": stated["column"]} if stated["column"] is not None else {}
        fields = find("models", str(stated["model"])).__dataclass_fields__
        own = {name: value for name, value in own.items() if name in fields}
        models.append(cast(Model, build("models", str(stated["model"]), {**stated["parameters"], **own})))
    told = {name: value for name, value in release.certificate.method.items() if name != "name"}
    method = cast(Method, build("methods", str(release.certificate.method["name"]), told))
    again = publish(data, Policy(*models), method, key=key, after=evidence.earlier)
    tables = {name: table.cast(pl.String) for name, table in again.tables.items()}
    same = tables.keys() == release.tables.keys() and all(
        tables[name].equals(table.cast(pl.String)) for name, table in release.tables.items()
    )
    if same:
        return Answer.HOLDS, "Published again with the same table and key: the same release."
    return Answer.BROKEN, "Published again with this table and key, it is another release."


def _title(model: Model, column: object) -> str:
    knobs = ", ".join(
        f"{key}={_shown(value)}" for key, value in model.parameters().items() if value not in (None, [], "")
    )
    return f"{model.name} ({knobs})" + (f" of {column!r}" if column else "")


def _shown(value: object) -> object:
    """A knob as a reader wants it: a model within a model by its name, a digest by its first letters."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key}={_shown(item)}" for key, item in value.items() if key != "name" and item is not None)
        return f"{value.get('name')} ({inner})"
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return value[:15] if isinstance(value, str) and value.startswith("sha256:") else value
