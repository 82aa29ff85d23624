"""Open the earlier releases of the people in the table, and the ledger that was kept with them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voile.adversaries.ledger import Ledger
from voile.errors import VoileError
from voile.flow.publish.earlier_releases import EarlierReleases
from voile.releases.release import Release
from voile.web.private_storage import count_bytes
from voile.web.release_zips import unpack_release
from voile.web.tasks.session_data import Payload, Progress


def open_earlier(payload: Payload, progress: Progress) -> dict[str, Any]:
    """Unpack the releases that came as zips, verify all of them in their order, and check that the ledger belongs to
    them. If one does not fit, what was sent is deleted and nothing else changes; otherwise, what was taken out is."""
    entries, sent = payload["releases"], [Path(path) for path in payload.get("sent", ())]
    try:
        if payload.get("start_ledger"):
            Ledger().save(payload["ledger"])
        room = int(payload.get("room", 0))
        for number, entry in enumerate(entries):
            if entry.get("zip"):
                progress(number, len(entries) + 1, f"Unpacking {entry['name']}")
                unpack_release(Path(entry["zip"]), Path(entry["place"]), room)
                room -= count_bytes(Path(entry["place"]))
        progress(len(entries), len(entries) + 1, "Verifying the earlier releases")
        history = describe_history(entries, payload.get("ledger"))
    except VoileError:
        _delete(sent)
        raise
    _delete([Path(path) for path in payload.get("taken_out", ())])
    _delete([Path(entry["zip"]) for entry in entries if entry.get("zip")])
    return history


def describe_history(entries: Sequence[Mapping[str, Any]], ledger_file: str | None) -> dict[str, Any]:
    """Verify releases in their order, and check that the ledger belongs to them; describe them and the ledger."""
    history = EarlierReleases.verified([entry["place"] for entry in entries], None)
    ledger = Ledger.read(ledger_file, sent=True) if ledger_file else None
    _check_ledger(ledger, history.releases)
    return {
        "releases": [
            {"place": entry["place"], "name": entry["name"], **_describe_release(release)}
            for entry, release in zip(entries, history.releases, strict=True)
        ],
        "ledger": {"path": ledger_file, "people": len(ledger.people)} if ledger is not None else None,
    }


def _check_ledger(ledger: Ledger | None, releases: tuple[Release, ...]) -> None:
    if ledger is None:
        return
    ledger.check([release.digest for release in releases])
    for number, release in enumerate(releases):
        ledger.check_values(number, release.tallies)


def _describe_release(release: Release) -> dict[str, Any]:
    models = dict.fromkeys(str(claim["model"]) for claim in release.certificate.claims)
    return {"counted": release.unit.count(release.people), "groups": release.groups, "models": list(models)}


def _delete(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
