"""A workbench on a free port of this machine, and a visitor without a browser."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
import uvicorn

import voile as vl
from voile.web.access_control import Settings
from voile.web.app import make_app
from voile.web.connections import ConnectionLimits
from voile.web.serve import configure_server

LIMITS = ConnectionLimits(header=1.0, pause=1.5, rate=1000.0, connections=40)  # short, so that tests are


class Visitor:
    """Does the part of a browser: keeps the cookie, and sends the secret of the forms."""

    def __init__(self, client: httpx.Client, settings: Settings) -> None:
        self.client, self.settings = client, settings

    def enter(self) -> None:
        assert "refresh" in self.client.get(f"/?token={self.settings.token}").text

    def csrf(self) -> str:
        match = re.search(r'name="csrf" value="([^"]+)"', self.client.get("/").text)
        assert match
        return match[1]

    def post(self, path: str, data: dict[str, Any] | None = None, **more: Any) -> str:
        """Send a form, wait for the job that it starts, and return the page that it leads to."""
        answer = self.client.post(path, data={"csrf": self.csrf(), **(data or {})}, **more)
        assert answer.status_code == 200, answer.text
        return self.wait(str(answer.url.path))

    def wait(self, path: str) -> str:
        for _ in range(1200):
            if self.client.get("/job").json()["state"] != "running":
                return self.client.get(path).text
            time.sleep(0.05)
        raise AssertionError("the work did not end")

    def mark(self, roles: dict[str, str], **more: str) -> str:
        """Mark columns, named by their names, with roles."""
        page = self.client.get("/mark").text
        names = re.findall(r'<th scope="row" id="c(\d+)">([^<]*)</th>', page)
        return self.post("/mark", {**{f"role.{n}": roles.get(name, "") for n, name in names}, **more})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that visitors may name, with tables in it; beside it, a file that they may not name."""
    folder = tmp_path_factory.mktemp("tables") / "mine"
    (folder / "below").mkdir(parents=True)
    vl.datasets.hospital().write_csv(folder / "patients.csv")
    vl.datasets.hospital().write_parquet(folder / "below" / "patients.parquet")
    pl.DataFrame({"secret": ["outside"]}).write_csv(folder.parent / "outside.csv")
    (folder / "link.csv").symlink_to(folder.parent / "outside.csv")
    return folder


@pytest.fixture(scope="module")
def listening() -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener


@pytest.fixture(scope="module")
def settings(folder: Path, listening: socket.socket, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    port = listening.getsockname()[1]
    private, projects = tmp_path_factory.mktemp("private"), tmp_path_factory.mktemp("projects")
    return Settings("t" * 32, folder, private, port=port, limit=3_000_000, once="o" * 32, projects=projects)


@pytest.fixture(scope="module")
def server(settings: Settings, listening: socket.socket) -> Iterator[str]:
    """The address of a running workbench."""
    uvicorn_server = uvicorn.Server(configure_server(make_app(settings), LIMITS))
    thread = threading.Thread(target=uvicorn_server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not uvicorn_server.started and thread.is_alive():
        time.sleep(0.01)
    yield f"http://127.0.0.1:{settings.port}"
    uvicorn_server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def visitor(settings: Settings, server: str) -> Iterator[Visitor]:
    with httpx.Client(base_url=server, follow_redirects=True, timeout=60) as client:
        entered = Visitor(client, settings)
        entered.enter()
        yield entered


@pytest.fixture
def stranger(server: str) -> Iterator[httpx.Client]:
    """A client without token and cookie."""
    with httpx.Client(base_url=server, follow_redirects=False, timeout=60) as client:
        yield client
