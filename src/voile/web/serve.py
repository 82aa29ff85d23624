"""Start the workbench, and leave nothing behind: uploads and temporary files are deleted at the end."""

from __future__ import annotations

import contextlib
import logging
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from voile.errors import EngineError, SpecError, option
from voile.plugins.registry import load_plugin
from voile.web.access_control import LOG, Settings
from voile.web.app import make_app
from voile.web.connections import ConnectionLimits, limit_connections

CLEANUP = """
import os, shutil, sys, time
sys.stdin.read()
for _ in range(100):  # the workers end at the same time and may still be writing
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if not os.path.exists(sys.argv[1]):
        break
    time.sleep(0.1)
"""


def serve(
    announce: Callable[[str], None],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    folder: Path = Path("."),
    projects: Path | None = None,
    browser: bool = True,
    plugins: Sequence[str] = (),
) -> None:
    """Serve until interrupted. `announce` gets the address with its token, the only secret that is shown."""
    if not folder.is_dir():
        raise SpecError(f"There is no folder {folder.name!r}.", code="spec.folder", hint="Name an existing folder.")
    for source in plugins:
        load_plugin(source)
    LOG.addHandler(logging.StreamHandler())
    with _listening_socket(host, port) as listening, _private_folder() as private:
        port = listening.getsockname()[1]
        # other users of this machine can see the command that starts a browser: its token works only once
        token, once = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        settings = Settings(token, folder.resolve(), private, host, port, once=once, projects=projects)
        base = f"http://{_host_in_url(host)}:{port}/?token="
        for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi", "asyncio", "python_multipart.multipart"):
            logging.getLogger(name).disabled = True  # messages of libraries may quote a request
        config = configure_server(make_app(settings, plugins))
        server = _Server(config, lambda: _announce_address(announce, base, settings, browser))
        server.run(sockets=[listening])


def configure_server(app: ASGIApp, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """Configure the server: without an access log, because an address may reveal what a visitor looks at."""
    return uvicorn.Config(
        app,
        http=limit_connections(limits or ConnectionLimits()),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        lifespan="on",
    )


class _Server(uvicorn.Server):
    """A server that calls `ready` once it listens, and ends in order on a signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let an interrupt end the server, but not the clean-up after it."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


def _announce_address(announce: Callable[[str], None], base: str, settings: Settings, browser: bool) -> None:
    announce(base + settings.token)
    if browser:
        threading.Thread(target=webbrowser.open, args=(base + settings.once,), daemon=True).start()


def _host_in_url(host: str) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{name}]" if ":" in name else name


@contextlib.contextmanager
def _listening_socket(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError):
        listening.close()
        hint = f"Choose another port ({option('port')}), or leave it out to get a free one."
        raise EngineError(f"Port {port} on {host} cannot be used.", code="engine.port", hint=hint) from None
    try:
        yield listening
    finally:
        listening.close()


@contextlib.contextmanager
def _cleanup_process(folder: Path) -> Iterator[None]:
    """Run a small process that deletes the folder once this process is gone, however it ends: then its input ends."""
    command = [sys.executable, "-I", "-S", "-c", CLEANUP, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):
        yield


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """Make a folder that only this user can read and that is deleted at the end; uploads are spooled into it too."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    handler = (
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)) if in_main_thread else None
    )  # even before the server listens
    folder, previous = Path(tempfile.mkdtemp(prefix="voile-serve-")), tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        with _cleanup_process(folder):
            yield folder
    finally:
        tempfile.tempdir = previous
        shutil.rmtree(folder, ignore_errors=True)
        if in_main_thread:
            signal.signal(signal.SIGTERM, handler)
