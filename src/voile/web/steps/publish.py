"""Step 4: publish a release as a folder or a zip, and show how to do the same without the page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from voile.errors import SpecError, VoileError, hide_credentials
from voile.flow.report.decision import read_decision
from voile.flow.report.pdf_printing import print_page
from voile.io import release_folder as folders
from voile.io.release_folder import REPORTS
from voile.io.toml_writing import render_toml
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.private_storage import PUBLISHED, is_plain_name
from voile.web.steps.compare import SOON
from voile.web.steps.promise import find_recommendation
from voile.web.visits import Visit

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox"
NAME = re.compile(r"[\w][\w .-]{0,80}")


class Publish:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, visit: Visit) -> Response:
        visit.collect_result()
        if not visit.spec.get("policy") or not visit.marking:
            return RedirectResponse("/promise", 303)
        spec, command = render_toml(visit.request()), _write_command(visit)
        folder, reasons = self.settings.folder.name, _list_reasons(visit)
        return render_page("publish", visit, spec=spec, command=command, folder=folder, reasons=reasons)

    async def begin(self, request: Request, visit: Visit, form: FormData) -> Response:
        if not visit.spec.get("policy") or not visit.marking:
            return RedirectResponse("/promise", 303)
        name, format = str(form.get("name", "")).strip() or "release", str(form.get("format", "parquet"))
        decision = {part: str(form.get(part, "")).strip() for part in ("decided_by", "decided_on", "reasons")}
        try:
            folders.check_format(format)
            read_decision(decision["decided_by"], decision["decided_on"], ())
            folder = self._choose_folder(form, name)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/publish", 303)
        visit.spec["release"] = {"format": format} | ({} if form.get("ends") else {"ends": False})
        visit.worker.cancel()  # it may be writing the files that are about to be deleted
        visit.collect_result()
        visit.forget("publication")
        private = await run_in_threadpool(visit.storage.empty, PUBLISHED)
        options: dict[str, Any] = {"force": bool(form.get("force")), "place": str(folder or private / "release")}
        options |= {"zip": str(private / "release.zip"), "page": str(private / REPORTS[0])}
        options["private"] = str(private / "private.json")
        options["decision"] = {**decision, "reasons": decision["reasons"].splitlines()}
        if visit.list_earlier().get("ledger"):
            options["new_ledger"] = str(private / "ledger.json")
        payload = visit.payload(name=name, format=format, **options)
        await wait_for(visit.start_job("publish", "Publishing", payload), SOON)
        return RedirectResponse("/publish#done", 303)

    async def preview(self, request: Request, visit: Visit, form: FormData) -> Response:
        """Show what the release would show, before it is saved."""
        if not visit.spec.get("policy") or not visit.marking:
            return RedirectResponse("/promise", 303)
        visit.forget("preview")
        await wait_for(visit.start_job("preview", "Preparing the preview", visit.payload()), SOON)
        return RedirectResponse("/publish#preview", 303)

    def _choose_folder(self, form: FormData, name: str) -> Path | None:
        """Choose the folder of the release among the visitor's; None if it is only zipped."""
        if not NAME.fullmatch(name) or not is_plain_name(name):
            raise SpecError(
                "This is not a valid folder name.",
                code="spec.name",
                hint="Use at most 80 letters, digits, spaces, dots and dashes.",
            )
        if form.get("where") != "folder":
            return None
        folder = received_files.resolve_inside(self.settings.folder, name)
        folders.check_target(folder, bool(form.get("force")))
        return folder


def _list_reasons(visit: Visit) -> str:
    """Return the reasons that were typed, or else those of the recommendation that was chosen."""
    typed = (visit.publication or {}).get("asked", {}).get("decision", {}).get("reasons")
    chosen = find_recommendation(visit)
    return "\n".join(typed or ([chosen["audience"]["title"] + ".", *chosen["reasons"]] if chosen else []))


async def download(request: Request, visit: Visit) -> Response:
    """Download the zip."""
    asked = _find_publication(visit)
    if asked is None:
        return RedirectResponse("/publish", 303)
    return FileResponse(asked["zip"], filename=f"{asked['name']}.zip", media_type="application/zip")


def _find_publication(visit: Visit) -> Mapping[str, Any] | None:
    """Return what was asked for in the last publication, if its files are there."""
    visit.collect_result()
    asked: Mapping[str, Any] | None = (visit.publication or {}).get("asked")
    files = [asked[name] for name in ("zip", "page", "private", "new_ledger") if name in asked] if asked else []
    return asked if files and all(Path(file).is_file() for file in files) else None


async def spec(request: Request, visit: Visit) -> Response:
    """Download the spec.toml."""
    headers = {"Content-Disposition": 'attachment; filename="spec.toml"'}
    text = hide_credentials(render_toml(visit.request()))
    return Response(text, media_type="application/toml", headers=headers)


async def report(request: Request, visit: Visit) -> Response:
    """Show the report as a separate page, without scripts."""
    asked = _find_publication(visit)
    if asked is None:
        return RedirectResponse("/publish", 303)
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(asked["page"], media_type="text/html", headers=headers)


async def download_report(request: Request, visit: Visit) -> Response:
    """Download the report, as a page, as a PDF or as JSON. It is for the publisher, so it is never part of the zip."""
    asked = _find_publication(visit)
    if asked is None:
        return RedirectResponse("/publish", 303)
    page = Path(asked["page"]).with_suffix(Path(request.url.path).suffix)
    try:
        if page.suffix == ".pdf" and not page.is_file():
            html = Path(asked["page"]).read_text(encoding="utf-8")
            await run_in_threadpool(print_page, html, page)
    except VoileError as error:
        visit.problems = []
        visit.show_problem(error.as_json())
        return RedirectResponse("/publish", 303)
    return FileResponse(page, filename=page.name)


async def download_private(request: Request, visit: Visit) -> Response:
    """Download the private file: the key and the learned statistics, for `voile verify --private`."""
    asked = _find_publication(visit)
    if asked is None:
        return RedirectResponse("/publish", 303)
    headers = {"Cache-Control": "no-store"}
    return FileResponse(
        asked["private"], filename=f"{asked['name']}-private.json", media_type="application/json", headers=headers
    )


async def download_ledger(request: Request, visit: Visit) -> Response:
    """Download the ledger with the new release in it. It is for the publisher, so it is never part of the zip."""
    asked = _find_publication(visit)
    if asked is None or "new_ledger" not in asked:
        return RedirectResponse("/publish", 303)
    headers = {"Cache-Control": "no-store"}
    return FileResponse(
        asked["new_ledger"], filename=f"{asked['name']}-ledger.json", media_type="application/json", headers=headers
    )


def _write_command(visit: Visit) -> str:
    """Write the same request as a command. An upload keeps its file name; the demo table is written to a file first."""
    name = (visit.publication or {}).get("asked", {}).get("name", "release")
    source = visit.source.get("name", "")
    if visit.project is not None and visit.project.find_table().path:
        return f"voile publish --project {shlex.quote(visit.project.name)} --out {shlex.quote(name)}"
    run = f"voile publish {shlex.quote(source)} --spec spec.toml --out {shlex.quote(name)}"
    for release in (visit.earlier or {}).get("releases", ()):
        run += f" --after {shlex.quote(release['name'].removesuffix('.zip'))}"
    if visit.list_earlier().get("ledger"):
        run += " --ledger ledger.json"
    if visit.source.get("how") != "demo":
        return run
    return f"python -c \"import voile; voile.datasets.hospital().write_parquet('{source}')\"\n{run}"
