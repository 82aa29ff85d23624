"""Who may ask. Everything that is not plainly from the visitor's own page is refused before anything is looked at.

- the Host header must name this server, so that a foreign name that leads here (DNS rebinding) gets nothing;
- a secret token in the address opens a desk, once; from then on a cookie that no other site can send says whose it is;
- a POST must come from a page of this server, and carry the secret of its form (CSRF);
- a body may not be larger than the limit, whatever its header says;
- every answer carries a strict Content-Security-Policy and is kept by no cache.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import FormData, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voile.errors import speaking
from voile.web.form_labels import write_label
from voile.web.received_files import FILES
from voile.web.visitor import Desk, Desks
from voile.web.worker import describe_unexpected

LOG = logging.getLogger("voile.web")
LIMIT = 200 << 20
FIELDS = 20_000
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
ON = (
    '<!DOCTYPE html><html lang="en"><title>voile</title><link rel="icon" href="/static/icon.svg">'
    '<meta http-equiv="refresh" content="0; url=/"><p><a href="/">To the workbench</a></p></html>'
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True)
class Settings:
    """How the workbench was started. `private` is deleted at the end; `folder` is all that may be named."""

    token: str
    folder: Path
    private: Path
    host: str = "127.0.0.1"
    port: int = 0
    limit: int = LIMIT
    once: str = ""  # a token that works a single time

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart; their names do."""
        return f"voile-{self.port}"

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server. Bound to every address, any address will do, but no foreign name."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or parts.username is not None or parts.path:
            return False
        if name in ("127.0.0.1", "localhost", "::1", self.host.lower()):
            return True
        return self.host in ("0.0.0.0", "::") and _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


Oops = Callable[[int, str, str], Response]  # a page for a status, what happened, what to do


class TooLarge(Exception):  # noqa: N818 - what happened
    """More bytes than the limit."""


class Guard:
    """Around the whole application: the Host, the size, the headers, and errors without their stack."""

    def __init__(self, app: ASGIApp, settings: Settings, oops: Oops) -> None:
        self.app, self.settings, self.oops = app, settings, oops

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if not self.settings.answers_to(request.headers.get("host", "")):
            refused = self.oops(421, "This server does not go by that name.", "Open the address that it printed.")
            await refused(scope, receive, dressed)
            return
        try:
            with speaking(write_label):
                await self.app(scope, self._counted(request, receive), dressed)
        except ClientDisconnect:
            pass
        except Exception as error:  # it was answered already: see `answers`
            LOG.error("%s", describe_unexpected(error)["message"])

    def _counted(self, request: Request, receive: Receive) -> Receive:
        """The body, as long as it keeps within the limit."""
        told = request.headers.get("content-length", "0")
        taken = int(told) if told.isdigit() else self.settings.limit + 1
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive() if taken <= self.settings.limit else {}
            read += len(message.get("body", b""))
            if max(read, taken) > self.settings.limit:
                raise TooLarge
            return message

        return counted


def answers(settings: Settings, oops: Oops) -> dict[Any, Callable[[Request, Exception], Response]]:
    """What is answered to each kind of error."""

    def too_large(request: Request, error: Exception) -> Response:
        most = f"{settings.limit >> 20} MB"
        hint = "Put the file into the folder of the workbench and name its path: then it does not pass the browser."
        return oops(413, f"This upload is larger than {most}.", hint)

    def refused(request: Request, error: Exception) -> Response:
        code = error.status_code if isinstance(error, HTTPException) else 400
        return oops(code, "There is no such page." if code == 404 else "That is not possible here.", "Go to the start.")

    def failed(request: Request, error: Exception) -> Response:
        told = describe_unexpected(error)
        return oops(500, told["message"], told["hint"])

    return {TooLarge: too_large, HTTPException: refused, Exception: failed}


Handler = Callable[[Request, Desk], Awaitable[Response]]
Poster = Callable[[Request, Desk, FormData], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


class Door:
    """From a request to a desk: by token, then by cookie. Every address but the static files goes through here."""

    def __init__(self, settings: Settings, desks: Desks, oops: Oops) -> None:
        self.settings, self.desks, self.oops = settings, desks, oops
        self._spent = not settings.once

    def get(self, handler: Handler) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            token = request.query_params.get("token")
            if token is not None:
                return self._enter(request, token)
            desk = self._desk(request)
            return await handler(request, desk) if desk else self._closed()

        return endpoint

    def post(self, handler: Poster) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            desk = self._desk(request)
            if desk is None:
                return self._closed()
            if not self._own(request):
                return self.oops(403, "This request came from another page.", "Use the page itself.")
            try:
                async with request.form(max_files=FILES, max_fields=FIELDS, max_part_size=64 << 20) as form:
                    if not hmac.compare_digest(_secret(request, form).encode(), desk.csrf.encode()):
                        return self.oops(403, "This form is not from this visit.", "Reload the page and try again.")
                    return await handler(request, desk, form)
            except (MultiPartException, HTTPException):
                return self.oops(400, "This form cannot be read.", "Reload the page and try again.")

        return endpoint

    def _own(self, request: Request) -> bool:
        """Browsers say where a POST comes from; what they say must be this server."""
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        here = origin is None or urlsplit(origin).netloc == request.headers.get("host")
        return here and site in (None, "same-origin")

    def _desk(self, request: Request) -> Desk | None:
        return self.desks.find(request.cookies.get(self.settings.cookie))

    def _enter(self, request: Request, token: str) -> Response:
        """A desk for who knows the token, and on to the start: by a page of ours and not by a redirect, for a browser
        that comes from elsewhere would not bring the cookie along."""
        if not self._known(token):
            return self._closed()
        answer = HTMLResponse(ON)
        if self._desk(request) is None:
            answer.set_cookie(self.settings.cookie, self.desks.open(), httponly=True, samesite="strict", path="/")
        return answer

    def _known(self, token: str) -> bool:
        if hmac.compare_digest(token.encode(), self.settings.token.encode()):
            return True
        fresh = not self._spent and hmac.compare_digest(token.encode(), self.settings.once.encode())
        self._spent = self._spent or fresh
        return fresh

    def _closed(self) -> Response:
        return self.oops(403, "This workbench is not open to you.", "Open the address that `voile serve` printed.")


def _secret(request: Request, form: FormData) -> str:
    given: Any = request.headers.get("x-csrf-token") or form.get("csrf")
    return given if isinstance(given, str) else ""
