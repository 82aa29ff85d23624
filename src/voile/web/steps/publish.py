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
from voile.web.jobs import settled
from voile.web.pages import page
from voile.web.steps.compare import SOON
from voile.web.visitor import Desk

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox"
NAME = re.compile(r"[\w][\w .-]{0,80}")


class Publish:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, desk: Desk) -> Response:
        desk.collect()
        if not desk.spec.get("policy") or not desk.marked:
            return RedirectResponse("/promise", 303)
        told = {"spec": render_toml(desk.told()), "command": command(desk), "folder": self.settings.folder.name}
        return page("publish", desk, **told)

    async def begin(self, request: Request, desk: Desk, form: FormData) -> Response:
        if not desk.spec.get("policy") or not desk.marked:
            return RedirectResponse("/promise", 303)
        name, format = str(form.get("name", "")).strip() or "release", str(form.get("format", "parquet"))
        try:
            folders.check_format(format)
            place = self._place(desk, form, name)
        except VoileError as error:
            desk.problems = []
            desk.complain(error.as_json())
            return RedirectResponse("/publish", 303)
        desk.spec["release"] = {"format": format}
        desk.forget("published")
        packed = desk.folder / f"{secrets.token_hex(8)}.zip"
        told: dict[str, Any] = {"force": bool(form.get("force")), "with_report": bool(form.get("report"))}
        told |= {"place": str(place), "zip": str(packed), "page": str(packed.with_suffix(".html"))}
        asked = desk.payload(name=name, format=format, **told)
        await settled(desk.begin("publish", "Publishing", asked), SOON)
        return RedirectResponse("/publish#done", 303)

    def _place(self, desk: Desk, form: FormData, name: str) -> Path:
        """Where the folder goes: among one's own, or only into the zip."""
        if not NAME.fullmatch(name):
            raise SpecError(
                "This is no name for a folder.", code="spec.name", hint="Use letters, digits, spaces, dots and dashes."
            )
        if form.get("where") != "folder":
            return desk.folder / secrets.token_hex(8)
        place = received_files.inside(self.settings.folder, name)
        folders.check_target(place, bool(form.get("force")))
        return place


async def download(request: Request, desk: Desk) -> Response:
    """The zip."""
    desk.collect()
    if desk.published is None:
        return RedirectResponse("/publish", 303)
    asked = desk.published["asked"]
    return FileResponse(asked["zip"], filename=f"{asked['name']}.zip", media_type="application/zip")


async def spec(request: Request, desk: Desk) -> Response:
    """The spec.toml."""
    headers = {"Content-Disposition": 'attachment; filename="spec.toml"'}
    return Response(render_toml(desk.told()), media_type="application/toml", headers=headers)


async def report(request: Request, desk: Desk) -> Response:
    """The report: a page of its own, without script."""
    desk.collect()
    if desk.published is None:
        return RedirectResponse("/publish", 303)
    page = Path(desk.published["asked"]["page"])
    return HTMLResponse(page.read_text(encoding="utf-8"), headers={"Content-Security-Policy": REPORT_POLICY})


def command(desk: Desk) -> str:
    """The same at the command line. An upload is named as it was called; the demonstration is written out first."""
    name = (desk.published or {}).get("asked", {}).get("name", "release")
    source = desk.source.get("name", "")
    run = f"voile publish {shlex.quote(source)} --spec spec.toml --out {shlex.quote(name)}"
    if desk.source.get("how") != "demo":
        return run
    return f"python -c \"import voile; voile.datasets.hospital().write_parquet('{source}')\"\n{run}"
