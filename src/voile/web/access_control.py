"""Who may use the workbench. A request that does not clearly come from the visitor's own page is refused without
being read.

- The Host header must name this server, so that a foreign name that points here (DNS rebinding) gets nothing.
- A secret token in the address opens a visit, once; from then on a cookie that no other site can send identifies it.
- A POST must come from a page of this server and carry the secret of its form (CSRF).
- A body may not be larger than the limit, whatever its header says.
- Whoever is refused is told why; a visitor for whom there is no room, also when to come again.
- Every answer carries a strict Content-Security-Policy and is never cached.
"""

from __future__ import annotations

import asyncio
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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voile.errors import speaking
from voile.web.form_bodies import RefusedRequest, limit_of_body, open_form
from voile.web.form_labels import write_label
from voile.web.private_storage import QUOTA, write_bytes
from voile.web.visits import MOST_VISITS, TooManyVisits, Visit, Visits
from voile.web.worker import describe_unexpected

LOG = logging.getLogger("voile.web")
LIMIT = 200 << 20
CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
ENTRY_PAGE = (
    '<!DOCTYPE html><html lang="en"><title>voile</title><link rel="icon" href="/static/icon.svg">'
    '<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the workbench</a></p></html>'
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
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
    """How the workbench was started. `private` is deleted at the end; a visitor may only name files in `folder`."""

    token: str
    folder: Path
    private: Path
    host: str = "127.0.0.1"
    port: int = 0
    limit: int = LIMIT  # bytes of an upload
    quota: int = QUOTA  # bytes that a visit may store
    visits: int = MOST_VISITS
    once: str = ""  # a token that works only once
    projects: Path | None = None  # the folder of all projects; the user's own by default

    @property
    def cookie(self) -> str:
        """The cookie's name. It holds the port, because browsers share cookies between the ports of a host."""
        return f"voile-{self.port}"

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server. A server bound to every address answers to any address, but to no
        foreign name."""
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


ErrorPage = Callable[[int, str, str], Response]  # (status, message, hint) -> page


class Guard:
    """Wraps the application: checks the Host header and the size, adds headers, logs errors without a stack trace."""

    def __init__(self, app: ASGIApp, settings: Settings, error_page: ErrorPage) -> None:
        self.app, self.settings, self.error_page = app, settings, error_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request, answering = Request(scope), asyncio.Event()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answering.set()
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if not self.settings.answers_to(request.headers.get("host", "")):
            refusal = self.error_page(421, "This server has another name.", "Open the address that it printed.")
            await refusal(scope, receive, send_with_headers)
            return
        try:
            with speaking(write_label):
                await self.app(scope, self._limit_body(request, receive, answering), send_with_headers)
        except ClientDisconnect:
            pass
        except Exception as error:  # `error_handlers` has answered it already
            LOG.error("%s", describe_unexpected(error)["message"])

    def _limit_body(self, request: Request, receive: Receive, answering: asyncio.Event) -> Receive:
        """Receive the body; refuse it once it exceeds the limit, unless an answer has begun."""
        limit = limit_of_body(request.headers.get("content-type", ""), self.settings.limit)
        length = request.headers.get("content-length", "0")
        announced = int(length) if length.isascii() and length.isdigit() and len(length) < 20 else limit + 1
        received = 0

        async def receive_within_limit() -> Message:
            nonlocal received
            message = await receive() if announced <= limit else {}
            received += len(message.get("body", b""))
            if max(received, announced) > limit:
                if answering.is_set():
                    return {"type": "http.disconnect"}
                raise _too_large(limit, limit == self.settings.limit)
            return message

        return receive_within_limit


def _too_large(limit: int, is_upload: bool) -> RefusedRequest:
    hint = "Put the file into the folder of the workbench and name its path, so that the browser need not send it."
    what = "upload" if is_upload else "form"
    return RefusedRequest(
        413, f"This {what} is larger than {write_bytes(limit)}.", hint if is_upload else "Shorten it."
    )


def error_handlers(error_page: ErrorPage) -> dict[Any, Callable[[Request, Exception], Response]]:
    """Return the handler of each kind of error."""

    def answer_refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, RefusedRequest)
        answer = error_page(error.status, error.message, error.hint)
        if error.retry_after:
            answer.headers["Retry-After"] = str(error.retry_after)
        return answer

    def answer_impossible(request: Request, error: Exception) -> Response:
        code = error.status_code if isinstance(error, HTTPException) else 400
        return error_page(
            code, "There is no such page." if code == 404 else "This is not possible here.", "Go back to the start."
        )

    def answer_failed(request: Request, error: Exception) -> Response:
        problem = describe_unexpected(error)
        return error_page(500, problem["message"], problem["hint"])

    return {RefusedRequest: answer_refused, HTTPException: answer_impossible, Exception: answer_failed}


Handler = Callable[[Request, Visit], Awaitable[Response]]
Poster = Callable[[Request, Visit, FormData], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


class Door:
    """Finds the visit of a request: by token, then by cookie. Every address but the static files goes through here."""

    def __init__(self, settings: Settings, visits: Visits) -> None:
        self.settings, self.visits = settings, visits
        self._spent = not settings.once

    def get(self, handler: Handler) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            token = request.query_params.get("token")
            if token is not None:
                return self._enter(request, token)
            return await handler(request, self._find_visit(request))

        return endpoint

    def post(self, handler: Poster) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            visit = self._find_visit(request)
            if not self._is_same_origin(request):
                raise RefusedRequest(403, "This request came from another page.", "Use the workbench itself.")
            async with open_form(request) as form:
                if not hmac.compare_digest(_form_secret(request, form).encode(), visit.csrf.encode()):
                    raise RefusedRequest(403, "This form is not from this visit.", "Reload the page and try again.")
                return await handler(request, visit, form)

        return endpoint

    def _is_same_origin(self, request: Request) -> bool:
        """Whether a POST comes from a page of this server, according to the browser's headers."""
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        own_origin = origin is None or _host_of(origin) == request.headers.get("host")
        return own_origin and site in (None, "same-origin")

    def _find_visit(self, request: Request) -> Visit:
        secret = request.cookies.get(self.settings.cookie)
        visit = self.visits.find(secret)
        if visit is None and self.visits.has_ended(secret):
            hint = (
                "Its files are deleted; a project that was open has every step. "
                "Open the address that `voile serve` printed to begin another one."
            )
            raise RefusedRequest(410, "Your visit was idle, and ended to make room for another.", hint)
        if visit is None:
            raise _no_entry()
        return visit

    def _enter(self, request: Request, token: str) -> Response:
        """Open a visit for anyone who knows the token, and lead to the start. This takes a page: after a redirect, a
        browser that comes from another site would not send the cookie."""
        if not self._is_valid(token):
            raise _no_entry()
        answer = HTMLResponse(ENTRY_PAGE)
        if self.visits.find(request.cookies.get(self.settings.cookie)) is None:
            answer.set_cookie(self.settings.cookie, self._open_visit(), httponly=True, samesite="strict", path="/")
        self._spent = self._spent or token == self.settings.once
        return answer

    def _open_visit(self) -> str:
        try:
            return self.visits.open()
        except TooManyVisits as error:
            minutes = "a minute" if error.minutes == 1 else f"{error.minutes} minutes"
            number = "one visit is" if error.limit == 1 else f"{error.limit} visits are"
            message = f"The workbench is full: at most {number} open at a time."
            hint = f"Come again in {minutes}, when an idle visit may end, or ask one of the visitors to finish."
            raise RefusedRequest(503, message, hint, retry_after=60 * error.minutes) from None
        except OSError:
            hint = "Ask the person who runs this machine to make room, and come again."
            raise RefusedRequest(503, "There is no room left on the disk.", hint, retry_after=60) from None

    def _is_valid(self, token: str) -> bool:
        if hmac.compare_digest(token.encode(), self.settings.token.encode()):
            return True
        return not self._spent and hmac.compare_digest(token.encode(), self.settings.once.encode())


def _no_entry() -> RefusedRequest:
    return RefusedRequest(403, "This workbench is not open to you.", "Open the address that `voile serve` printed.")


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # e.g. http://[
        return None


def _form_secret(request: Request, form: FormData) -> str:
    secret: Any = request.headers.get("x-csrf-token") or form.get("csrf")
    return secret if isinstance(secret, str) else ""
