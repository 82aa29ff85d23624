"""Step 4: the release folder, or a zip of it; and how to do the same without the page."""

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
        told = {"spec": render_toml(visit.request()), "command": command(visit), "folder": self.settings.folder.name}
        return render_page("publish", visit, **told)

    async def begin(self, request: Request, visit: Visit, form: FormData) -> Response:
        if not visit.spec.get("policy") or not visit.marking:
            return RedirectResponse("/promise", 303)
        name, format = str(form.get("name", "")).strip() or "release", str(form.get("format", "parquet"))
        try:
            folders.check_format(format)
            place = self._place(visit, form, name)
        except VoileError as error:
            visit.problems = []
            visit.show_problem(error.as_json())
            return RedirectResponse("/publish", 303)
        visit.spec["release"] = {"format": format}
        visit.forget("publication")
        packed = visit.folder / f"{secrets.token_hex(8)}.zip"
        told: dict[str, Any] = {"force": bool(form.get("force")), "with_report": bool(form.get("report"))}
        told |= {"place": str(place), "zip": str(packed), "page": str(packed.with_suffix(".html"))}
        asked = visit.payload(name=name, format=format, **told)
        await wait_for(visit.start_job("publish", "Publishing", asked), SOON)
        return RedirectResponse("/publish#done", 303)

    def _place(self, visit: Visit, form: FormData, name: str) -> Path:
        """Where the folder goes: among one's own, or only into the zip."""
        if not NAME.fullmatch(name):
            raise SpecError(
                "This is no name for a folder.", code="spec.name", hint="Use letters, digits, spaces, dots and dashes."
            )
        if form.get("where") != "folder":
            return visit.folder / secrets.token_hex(8)
        place = received_files.resolve_inside(self.settings.folder, name)
        folders.check_target(place, bool(form.get("force")))
        return place


async def download(request: Request, visit: Visit) -> Response:
    """The zip."""
    visit.collect_result()
    if visit.publication is None:
        return RedirectResponse("/publish", 303)
    asked = visit.publication["asked"]
    return FileResponse(asked["zip"], filename=f"{asked['name']}.zip", media_type="application/zip")


async def spec(request: Request, visit: Visit) -> Response:
    """The spec.toml."""
    headers = {"Content-Disposition": 'attachment; filename="spec.toml"'}
    return Response(render_toml(visit.request()), media_type="application/toml", headers=headers)


async def report(request: Request, visit: Visit) -> Response:
    """The report: a page of its own, without script."""
    visit.collect_result()
    if visit.publication is None:
        return RedirectResponse("/publish", 303)
    page = Path(visit.publication["asked"]["page"])
    return HTMLResponse(page.read_text(encoding="utf-8"), headers={"Content-Security-Policy": REPORT_POLICY})


def command(visit: Visit) -> str:
    """The same at the command line. An upload is named as it was called; the demonstration is written out first."""
    name = (visit.publication or {}).get("asked", {}).get("name", "release")
    source = visit.source.get("name", "")
    run = f"voile publish {shlex.quote(source)} --spec spec.toml --out {shlex.quote(name)}"
    if visit.source.get("how") != "demo":
        return run
    return f"python -c \"import voile; voile.datasets.hospital().write_parquet('{source}')\"\n{run}"
