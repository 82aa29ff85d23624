"""Connections that do not wait for ever, and that are not too many.

uvicorn closes a connection that is idle between two requests, but it waits without end for the rest of a request that
has begun. A few clients that send a byte now and then would keep all connections (Slowloris). Here the header must be
complete within seconds, a body must keep coming, at a least rate, and an answer must be taken. Where there are too many
connections, the one that has waited longest for its header makes room for the next.
"""

from __future__ import annotations

import asyncio
import http
import sys
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(frozen=True)
class ConnectionLimits:
    """How long a client may take, and how many connections there may be."""

    header: float = 10.0  # seconds for the header of a request
    pause: float = 20.0  # seconds between two pieces of a body
    rate: float = 4096.0  # bytes per second of a body, on average after the first pause
    stall: float = 60.0  # seconds in which a client takes nothing of its answer
    connections: int = 256


class TimedProtocol(H11Protocol):
    """uvicorn's protocol with deadlines. `limits` is set by `limit_connections`."""

    limits = ConnectionLimits()

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._phase = ""  # header, body, or nothing to wait for
        self._began = 0.0
        self._received = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def _make_room(self) -> None:
        """Close the connection that has waited longest for a header; the others are being answered."""
        waiting = [other for other in self.connections if isinstance(other, TimedProtocol) and other._phase == "header"]
        least = min(waiting, key=lambda other: other._began, default=self)
        text = f"There are {self.limits.connections} open connections, which is the most. Try again in a minute."
        least._refuse(503, text)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        try:
            super().data_received(data)
        except h11.ProtocolError:  # a request that cannot be read, after an answer to another one has begun
            self.transport.close()
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self.limits.stall, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_stalling()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        self._stop_stalling()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is no HTTP, with the status that fits."""
        status = getattr(sys.exc_info()[1], "error_status_hint", 400)
        self._refuse(status, "The header of this request is too long." if status == 431 else msg)

    def _watch(self) -> None:
        """Set the deadline of what the client sends now."""
        phase = self._find_phase()
        if phase != self._phase:
            self._phase, self._began, self._received = phase, self.loop.time(), 0
        elif phase == "header":
            return  # the deadline stays, however many pieces the header comes in
        self._stop_clock()
        if phase:
            seconds = self.limits.header if phase == "header" else self.limits.pause
            self._deadline = self.loop.call_later(seconds, self._expire)
        if phase == "body" and self._is_too_slow():
            self._expire()

    def _find_phase(self) -> str:
        if self.transport.is_closing():
            return ""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            return "body"
        # between two requests uvicorn counts the time itself
        return "header" if state is h11.IDLE and self.timeout_keep_alive_task is None else ""

    def _is_too_slow(self) -> bool:
        late = self.loop.time() - self._began - self.limits.pause
        return late > 0 and self._received < late * self.limits.rate

    def _expire(self) -> None:
        if self.transport.is_closing():
            return
        if self._phase == "body" and self.flow.read_paused:  # the client waits for us
            self._deadline = self.loop.call_later(self.limits.pause, self._expire)
            return
        if self._phase == "header" and not self.conn.trailing_data[0]:
            self.transport.close()  # nothing was asked
        else:
            self._refuse(408, "This request came too slowly.")

    def _refuse(self, status: int, text: str) -> None:
        """Answer in plain text, unless an answer has begun, and close the connection."""
        self._stop_clock()
        self._phase = ""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = text.encode()
            head = f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
            head += f"Content-Length: {len(body)}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
            retry = "Retry-After: 60\r\n" if status == 503 else ""
            self.transport.write(f"{head}{retry}Connection: close\r\n\r\n".encode() + body)
        self.transport.close()

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _stop_stalling(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


def limit_connections(limits: ConnectionLimits) -> type[TimedProtocol]:
    """Return the protocol with these limits, for uvicorn to use."""
    return type("LimitedProtocol", (TimedProtocol,), {"limits": limits})
