"""Step 4: publish a release as a folder or a zip, and show how to do the same without the page."""

from __future__ import annotations

import re
import secrets
import shlex
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from voile.errors import SpecError, VoileError
from voile.io import release_folder as folders
from voile.io.toml_writing import render_toml
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.jobs import wait_for
from voile.web.page_rendering import render_page
from voile.web.steps.compare import SOON
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
        return render_page("publish", visit, spec=spec, command=command, folder=self.settings.folder.name)

    async def begin(self, request: Request, visit: Visit, form: FormData) -> Response:
        if not visit.spec.get("policy") or not visit.marking:
            return RedirectResponse("/promise", 303)
        name, format = str(form.get("name", "")).strip() or "release", str(form.get("format", "parquet"))
        try:
            folders.check_format(format)
            folder = self._choose_folder(visit, form, name)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/publish", 303)
        visit.spec["release"] = {"format": format}
        visit.forget("publication")
        archive = visit.folder / f"{secrets.token_hex(8)}.zip"
        options: dict[str, Any] = {"force": bool(form.get("force")), "with_report": bool(form.get("report"))}
        options |= {"place": str(folder), "zip": str(archive), "page": str(archive.with_suffix(".html"))}
        payload = visit.payload(name=name, format=format, **options)
        await wait_for(visit.start_job("publish", "Publishing", payload), SOON)
        return RedirectResponse("/publish#done", 303)

    def _choose_folder(self, visit: Visit, form: FormData, name: str) -> Path:
        """Choose where the release is written: in the visitor's folder, or in a private one that is only zipped."""
        if not NAME.fullmatch(name):
            raise SpecError(
                "This is not a valid folder name.",
                code="spec.name",
                hint="Use letters, digits, spaces, dots and dashes.",
            )
        if form.get("where") != "folder":
            return visit.folder / secrets.token_hex(8)
        folder = received_files.resolve_inside(self.settings.folder, name)
        folders.check_target(folder, bool(form.get("force")))
        return folder


async def download(request: Request, visit: Visit) -> Response:
    """Download the zip."""
    visit.collect_result()
    if visit.publication is None:
        return RedirectResponse("/publish", 303)
    payload = visit.publication["asked"]
    return FileResponse(payload["zip"], filename=f"{payload['name']}.zip", media_type="application/zip")


async def spec(request: Request, visit: Visit) -> Response:
    """Download the spec.toml."""
    headers = {"Content-Disposition": 'attachment; filename="spec.toml"'}
    return Response(render_toml(visit.request()), media_type="application/toml", headers=headers)


async def report(request: Request, visit: Visit) -> Response:
    """Show the report as a separate page, without scripts."""
    visit.collect_result()
    if visit.publication is None:
        return RedirectResponse("/publish", 303)
    page = Path(visit.publication["asked"]["page"])
    return HTMLResponse(page.read_text(encoding="utf-8"), headers={"Content-Security-Policy": REPORT_POLICY})


def _write_command(visit: Visit) -> str:
    """Write the same request as a command. An upload keeps its file name; the demo table is written to a file first."""
    name = (visit.publication or {}).get("asked", {}).get("name", "release")
    source = visit.source.get("name", "")
    run = f"voile publish {shlex.quote(source)} --spec spec.toml --out {shlex.quote(name)}"
    if visit.source.get("how") != "demo":
        return run
    return f"python -c \"import voile; voile.datasets.hospital().write_parquet('{source}')\"\n{run}"
