"""Step 5, for who receives a release: verify it, and count with it."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from voile.errors import SpecError, VoileError
from voile.web import received_files
from voile.web.access_control import Settings
from voile.web.jobs import settled
from voile.web.pages import page
from voile.web.steps.load import PATIENCE
from voile.web.visitor import Desk

HOW = {
    "is": "is",
    "least": "is at least",
    "most": "is at most",
    "between": "is between (a|b)",
}
ROOM = 3  # conditions that the form has room for


class Receive:
    """The addresses of the step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def show(self, request: Request, desk: Desk) -> Response:
        desk.collect()
        found = await run_in_threadpool(received_files.releases, self.settings.folder)
        return page("receive", desk, found=found[: received_files.SHOWN], how=HOW, room=range(ROOM))

    async def take(self, request: Request, desk: Desk, form: FormData) -> Response:
        try:
            asked = await self._asked(desk, form)
        except VoileError as error:
            desk.problems = []
            desk.complain(error.as_json())
            return RedirectResponse("/receive", 303)
        desk.forget("received")
        desk.counted = []
        await settled(desk.begin("receive", "Verifying the release", asked), PATIENCE)
        return RedirectResponse("/receive#verdict", 303)

    async def _asked(self, desk: Desk, form: FormData) -> dict[str, Any]:
        how = form.get("how")
        if how == "own" and desk.published is not None:
            return {"place": desk.published["asked"]["place"], "name": "the release that you just published"}
        if how == "upload":
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise SpecError("No zip was chosen.", code="spec.file", hint="Choose the zip of a release first.")
            packed = desk.folder / f"{secrets.token_hex(8)}.zip"
            with packed.open("xb") as out:
                await run_in_threadpool(shutil.copyfileobj, file.file, out)
            return {"zip": str(packed), "place": str(desk.folder / secrets.token_hex(8)), "name": file.filename}
        if how == "files":
            return await _kept(desk, [one for one in form.getlist("files") if isinstance(one, UploadFile)])
        text = str(form.get("path", "")).strip()
        if not text:
            raise SpecError("No release was named.", code="spec.file", hint="Choose a folder or a zip.")
        place = received_files.inside(self.settings.folder, text)
        name = str(place.relative_to(self.settings.folder.resolve()))
        if place.suffix.lower() == ".zip":
            return {"zip": str(place), "place": str(desk.folder / secrets.token_hex(8)), "name": name}
        return {"place": str(place), "name": name}


async def _kept(desk: Desk, files: Sequence[UploadFile]) -> dict[str, Any]:
    """The files of a folder, side by side under their own names."""
    names = [Path(one.filename or "").name for one in files]
    if not any(names) or len(set(names)) < len(names):
        raise SpecError("No release folder was chosen.", code="spec.file", hint="Choose the folder of one release.")
    place = desk.folder / secrets.token_hex(8)
    place.mkdir(mode=0o700)
    for name, one in zip(names, files, strict=True):
        if name not in ("", ".", ".."):
            with (place / name).open("xb") as out:
                await run_in_threadpool(shutil.copyfileobj, one.file, out)
    return {"place": str(place), "name": Path(files[0].filename or "").parts[0]}


async def count(request: Request, desk: Desk, form: FormData) -> Response:
    if desk.received is None or desk.received["broken"]:
        return RedirectResponse("/receive", 303)
    sql = str(form.get("sql", "")).strip()
    asked = [_condition(form, number) for number in range(ROOM)]
    conditions = [one for one in asked if one]
    if not sql and not conditions:
        desk.problems = []
        desk.complain({"message": "There is no condition.", "hint": "Choose a column and give a value.", "code": ""})
        return RedirectResponse("/receive#count", 303)
    said = sql or " and ".join(f"{one['column']} {HOW[one['how']]} {one['value']}" for one in conditions)
    query: Any = sql or conditions
    payload = {"place": desk.received["asked"]["place"], "query": query, "said": said}
    await settled(desk.begin("count", "Counting", payload), PATIENCE)
    return RedirectResponse("/receive#count", 303)


def _condition(form: FormData, number: int) -> dict[str, str] | None:
    column, how, value = (str(form.get(f"{part}.{number}", "")).strip() for part in ("column", "how", "value"))
    return {"column": column, "how": how, "value": value} if column and value and how in HOW else None
