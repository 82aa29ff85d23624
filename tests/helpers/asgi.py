"""Requests to an ASGI application without a server: any bytes in every place, and the answer as it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

Result = TypeVar("Result")


@dataclass(frozen=True)
class Answer:
    """The answer of the application. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


async def send_request(
    app: ASGIApp,
    method: str,
    path: str,
    headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
    body: Sequence[bytes] = (),
    cut: bool = False,
) -> Answer:
    """Send a request, its body in pieces; if it is `cut`, the client leaves before the end."""
    target, _, query = path.partition("?")
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    raw = [(name.encode().lower(), value.encode("latin-1", "replace")) for name, value in pairs]
    scope: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method}
    scope |= {"scheme": "http", "path": unquote(target), "raw_path": target.encode("latin-1", "replace")}
    scope |= {"query_string": query.encode("latin-1", "replace"), "root_path": "", "headers": raw, "client": None}
    pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
    pieces += [{"type": "http.disconnect"}] if cut else [{"type": "http.request", "body": b"", "more_body": False}]
    sent: list[Message] = []

    async def receive() -> Message:
        if pieces:
            return pieces.pop(0)
        await asyncio.sleep(3600)  # the client waits for its answer
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = next((message for message in sent if message["type"] == "http.response.start"), None)
    if start is None:
        return Answer(0, {}, b"")  # the client was gone
    names = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], names, b"".join(message.get("body", b"") for message in sent))


def run_apart(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread of its own: after a browser test, a loop is running in the main thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
