"""Slow clients are closed with a reason, and others are served meanwhile. Every client here is a real socket."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from voile.web.access_control import Settings

HEAD = "{} / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"


@contextlib.contextmanager
def connect(settings: Settings) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", settings.port), timeout=10) as line:
        yield line


def read_all(line: socket.socket) -> str:
    """Read until the server closes the connection."""
    content = b""
    with contextlib.suppress(ConnectionResetError):
        while block := line.recv(65536):
            content += block
    return content.decode()


def test_half_a_header_is_closed_within_seconds(server: str, settings: Settings) -> None:
    with connect(settings) as line:
        start = time.monotonic()
        line.sendall(HEAD.format("GET", settings.port).encode())
        answer = read_all(line)
    assert answer.startswith("HTTP/1.1 408 ")
    assert "too slowly" in answer
    assert 0.5 < time.monotonic() - start < 5


def test_a_header_in_many_pieces_has_one_deadline(server: str, settings: Settings) -> None:
    with connect(settings) as line:
        start = time.monotonic()
        with contextlib.suppress(OSError):
            for letter in HEAD.format("GET", settings.port) + "X-Slow: " + "a" * 100:
                line.sendall(letter.encode())
                time.sleep(0.05)
        assert time.monotonic() - start < 5
        read_all(line)


def test_a_connection_without_a_request_is_closed_in_silence(server: str, settings: Settings) -> None:
    with connect(settings) as line:
        assert read_all(line) == ""


def test_the_second_request_of_a_connection_has_a_deadline_too(server: str, settings: Settings) -> None:
    with connect(settings) as line:
        line.sendall(f"{HEAD.format('GET', settings.port)}\r\n".encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 403 ")
        time.sleep(0.2)
        line.sendall(b"GET /mark HT")
        assert " 408 " in read_all(line)


@pytest.mark.parametrize("trickle", [False, True], ids=["a pause", "a trickle"])
def test_a_body_that_comes_too_slowly_is_closed(visitor: Any, settings: Settings, trickle: bool) -> None:
    cookie = f"Cookie: {settings.cookie}={visitor.client.cookies[settings.cookie]}\r\n"
    kind = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n"
    with connect(settings) as line:
        start = time.monotonic()
        line.sendall((HEAD.format("POST", settings.port) + cookie + kind + "csrf=").encode())
        with contextlib.suppress(OSError):
            for _ in range(80 * trickle):
                line.sendall(b"a")
                time.sleep(0.05)
        answer = read_all(line)
    assert answer == "" if trickle and not answer else answer.startswith("HTTP/1.1 408 ")
    assert time.monotonic() - start < 8


def test_visitors_are_served_while_slow_clients_hold_connections(visitor: Any, settings: Settings) -> None:
    """There are more slow clients than connections; the oldest of them make room."""
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(connect(settings)) for _ in range(30)]
        for line in lines:
            line.sendall(HEAD.format("GET", settings.port).encode())
        lines += [stack.enter_context(connect(settings)) for _ in range(30)]
        with httpx.Client(base_url=visitor.client.base_url, cookies=dict(visitor.client.cookies)) as client:
            start = time.monotonic()
            assert client.get("/").status_code == 200
            assert time.monotonic() - start < 1
        answer = read_all(lines[0])
    assert answer.startswith("HTTP/1.1 503 ")
    assert "40 open connections, which is the most" in answer
    assert "Retry-After: 60" in answer


ODD = {
    b"": "",
    b"nothing\r\n\r\n": "400",
    b"GET / HTTP/1.1\r\n\r\n": "400",  # without Host
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n": "400",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n": "400",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n": "",
    b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000: "431",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03": "",
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n": "421",
}


@pytest.mark.parametrize("request_bytes", ODD, ids=range(len(ODD)))
def test_a_request_that_is_no_request_gets_its_status(server: str, settings: Settings, request_bytes: bytes) -> None:
    with connect(settings) as line:
        with contextlib.suppress(OSError):
            line.sendall(request_bytes)
        answer = read_all(line)
    assert ODD[request_bytes] in answer[:20]
    assert " 500 " not in answer[:20]
    assert "Traceback" not in answer


def test_a_bad_request_behind_a_good_one_closes_the_connection(server: str, settings: Settings) -> None:
    with connect(settings) as line:
        line.sendall(f"{HEAD.format('GET', settings.port)}\r\n".encode() + b"\x00\x01 nothing\r\n\r\n")
        assert " 403 " in read_all(line)
