"""Every rule about who may use the workbench, and the refusal of everybody else."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import voile as vl
from voile.web.access_control import CONTENT_POLICY, Settings
from voile.web.app import make_app


def list_paths(method: str) -> list[str]:
    app = make_app(Settings("t", Path("."), Path("."), port=8000)).app  # type: ignore[attr-defined]
    routes = [route.path for route in app.routes if method in (getattr(route, "methods", None) or ())]
    assert len(routes) > 8
    return [path.replace("{number}", "0") for path in routes]


# the token and the cookie ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", list_paths("GET"))
def test_nothing_is_shown_without_the_cookie(stranger: httpx.Client, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "voile serve" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("token", ["", "x", "t" * 31, "t" * 33])
def test_a_wrong_token_opens_nothing(stranger: httpx.Client, token: str) -> None:
    answer = stranger.get("/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_becomes_a_cookie_and_leaves_the_address(stranger: httpx.Client, settings: Settings) -> None:
    answer = stranger.get(f"/?token={settings.token}")
    assert (answer.status_code, "url=/" in answer.text) == (200, True)
    assert settings.token not in answer.text
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert settings.token not in cookie
    assert stranger.get("/").status_code == 200
    # opening the address again keeps the visit
    assert "set-cookie" not in stranger.get(f"/?token={settings.token}").headers


def test_the_token_that_a_browser_is_started_with_works_once(server: str, settings: Settings) -> None:
    """Other users can see the command that starts a browser, but its token is used up by then."""
    for code in (200, 403):
        with httpx.Client(base_url=server) as client:
            assert client.get(f"/?token={settings.once}").status_code == code
    assert Settings("t", Path("."), Path("."), port=1).once == ""
    with httpx.Client(base_url=server) as client:
        assert client.get("/?token=").status_code == 403


def test_a_guessed_cookie_opens_nothing(stranger: httpx.Client, settings: Settings) -> None:
    stranger.cookies.set(settings.cookie, settings.token)
    assert stranger.get("/").status_code == 403


# forms from elsewhere ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", list_paths("POST"))
def test_every_post_needs_the_secret_of_its_form(visitor: Any, path: str) -> None:
    for data in ({}, {"csrf": "wrong"}, {"csrf": visitor.settings.token}):
        answer = visitor.client.post(path, data=data, follow_redirects=False)
        assert answer.status_code == 403, path
        assert "not from this visit" in answer.text


@pytest.mark.parametrize("path", list_paths("POST"))
def test_every_post_needs_the_cookie(stranger: httpx.Client, visitor: Any, path: str) -> None:
    assert stranger.post(path, data={"csrf": visitor.csrf()}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_post_must_come_from_this_server(visitor: Any, headers: dict[str, str]) -> None:
    answer = visitor.client.post("/rows", data={"csrf": visitor.csrf()}, headers=headers, follow_redirects=False)
    assert answer.status_code == 403
    fine = {"Origin": str(visitor.client.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert visitor.client.post("/rows", data={"csrf": visitor.csrf()}, headers=fine).status_code == 200


def test_a_get_changes_nothing(visitor: Any) -> None:
    for path in ("/job/cancel", "/compare/look", "/receive/count", "/rows"):
        assert visitor.client.get(path).status_code in (404, 405)
    assert visitor.client.put("/").status_code == 405


# the name of the server -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{}", "127.0.0.1:1", "127.0.0.1", "a@127.0.0.1:{}", "", "[::1", "x:y"]
)
def test_a_foreign_name_gets_nothing(visitor: Any, host: str) -> None:
    """DNS rebinding: the name evil.example now points to this machine."""
    for path in ("/", "/static/voile.css", f"/?token={visitor.settings.token}"):
        headers = {"Host": host.format(visitor.settings.port)}
        answer = visitor.client.get(path, headers=headers, follow_redirects=False)
        assert answer.status_code == 421, path
        assert "csrf" not in answer.text
        assert "set-cookie" not in answer.headers


def test_the_server_answers_only_to_its_own_names() -> None:
    local = Settings("t", Path("."), Path("."), port=8000)
    assert local.answers_to("localhost:8000")
    assert local.answers_to("[::1]:8000")
    assert not local.answers_to("10.0.0.7:8000")
    named = Settings("t", Path("."), Path("."), host="bench.local", port=8000)
    assert named.answers_to("bench.local:8000")
    wide = Settings("t", Path("."), Path("."), host="0.0.0.0", port=8000)
    assert wide.answers_to("10.0.0.7:8000")  # an address cannot be rebound
    assert not wide.answers_to("evil.example:8000")


# headers ----------------------------------------------------------------------------------------------------------
def test_every_answer_has_strict_headers(visitor: Any, stranger: httpx.Client) -> None:
    answers = [visitor.client.get(path) for path in ("/", "/job", "/static/voile.css", "/nothing", "/receive")]
    for answer in [*answers, stranger.get("/"), stranger.get("/", headers={"Host": "x"})]:
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
    assert "unsafe" not in CONTENT_POLICY
    assert "http" not in CONTENT_POLICY


@pytest.mark.parametrize(
    "path", sorted((Path(vl.__file__).parent / "web" / "pages").glob("*.html")), ids=lambda p: p.name
)
def test_no_page_loads_anything_from_elsewhere_or_has_inline_scripts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"https?:|//[a-z]|\son[a-z]+=|\sstyle=|javascript:|<style", text)
    assert re.findall(r"<script[^>]*>", text) in ([], ['<script src="/static/voile.js" defer>'])
    assert set(re.findall(r"[\w.]+\|safe", text)) <= {"distribution.chart|safe"} | set(
        re.findall(r"frontier_chart\S+safe", text)
    )


def test_the_script_and_the_style_load_nothing_from_elsewhere() -> None:
    for name in ("voile.js", "voile.css"):
        text = (Path(vl.__file__).parent / "web" / "static" / name).read_text(encoding="utf-8")
        assert not re.search(r"https?:|@import|url\(|eval\(|document\.write", text)


# size -------------------------------------------------------------------------------------------------------------
def test_an_upload_beyond_the_limit_is_refused(visitor: Any) -> None:
    big = io.BytesIO(b"a,b\n" + b"1,2\n" * 1_000_000)
    answer = visitor.client.post("/", data={"csrf": visitor.csrf(), "how": "upload"}, files={"file": ("big.csv", big)})
    assert answer.status_code == 413
    assert "name its path" in answer.text
    assert not list(visitor.settings.private.rglob("big*"))


def test_a_body_without_length_is_limited_too(visitor: Any) -> None:
    def send_chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 100_000

    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert visitor.client.post("/", content=send_chunks(), headers=kind).status_code == 413


def test_an_unexpected_error_shows_only_its_type(
    visitor: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("Jane Doe has HIV")

    monkeypatch.setattr("voile.web.visits.Visit.collect_result", fail)
    with caplog.at_level(logging.DEBUG):
        answer = visitor.client.get("/receive")
    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    for text in (answer.text, caplog.text):
        assert "Jane" not in text
        assert "HIV" not in text
