"""`voile serve` as a process: its output, its address, and its clean-up."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

CANARY = "Canary-7731"


class ServeProcess:
    """`voile serve` as a separate process."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options

    def __enter__(self) -> tuple[subprocess.Popen[str], str]:
        (self.folder / "tmp").mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "voile", "serve", "--no-browser", "--folder", str(self.folder), *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(self.folder / "tmp"), "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout
        for line in self.process.stdout:
            if "http://" in line:
                return self.process, line.strip()
        raise AssertionError(self.process.communicate()[1])

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def test_no_cell_reaches_a_log_or_the_terminal(tmp_path: Path) -> None:
    """A real server gets good and bad requests about a table with a canary, and never prints the canary."""
    rows = "".join(f"{CANARY}{n},{20 + n % 9},{'flu' if n % 2 else CANARY}\n" for n in range(60))
    (tmp_path / "good.csv").write_text(f"name,age,disease\n{rows}")
    (tmp_path / "bad.csv").write_text(f'name,age,disease\n{rows}"{CANARY},,,,\n')
    with ServeProcess(tmp_path) as (process, address):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address).read()
        page = opener.open(address.split("?")[0]).read().decode()
        base, csrf = address.split("/?")[0], re.search(r'name="csrf" value="([^"]+)"', page)
        assert csrf
        for form in (f"how=path&path={name}" for name in ("good.csv", "bad.csv", CANARY)):
            opener.open(f"{base}/", f"csrf={csrf[1]}&{form}".encode()).read()
        with pytest.raises(urllib.error.HTTPError):
            opener.open(f"{base}/{CANARY}?x={CANARY}")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert CANARY not in out + err
    assert "Traceback" not in out + err


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_uploads_are_deleted_at_the_end(tmp_path: Path, ending: signal.Signals) -> None:
    with ServeProcess(tmp_path) as (process, address):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address).read()
        page = opener.open(address.split("?")[0]).read().decode()
        csrf = re.search(r'name="csrf" value="([^"]+)"', page)
        assert csrf
        opener.open(f"{address.split('/?')[0]}/", f"csrf={csrf[1]}&how=demo".encode()).read()
        (private,) = (tmp_path / "tmp").glob("voile-serve-*")
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert list(private.rglob("*.parquet"))
        process.send_signal(ending)
        process.communicate(timeout=20)
        assert process.returncode == (-ending if ending == signal.SIGKILL else 0)
    end = time.monotonic() + 20
    while list((tmp_path / "tmp").glob("voile-serve-*")):
        assert ending == signal.SIGKILL  # only a killed server leaves this to the clean-up process
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_server_listens_only_on_this_machine_by_default(tmp_path: Path) -> None:
    with ServeProcess(tmp_path) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        port = int(address.split(":")[2].split("/")[0])
        table = Path("/proc/net/tcp").read_text().splitlines()[1:] if Path("/proc/net/tcp").exists() else []
        addresses = [row.split()[1] for row in table if row.split()[3] == "0A"]
        assert [address for address in addresses if address.endswith(f":{port:04X}")] in ([], [f"0100007F:{port:04X}"])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
            assert b" 403 " in line.recv(200)  # even this machine gets nothing without the token
        assert process.poll() is None


def test_the_worker_ends_with_the_server(tmp_path: Path) -> None:
    """This holds even if the server is killed and cannot clean up."""
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc that lists processes")
    with ServeProcess(tmp_path) as (process, _):
        time.sleep(0.3)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert children
        process.kill()
        process.communicate()
    for _ in range(100):
        alive = [pid for pid in children if Path(f"/proc/{pid}/stat").exists() and "Z" not in _process_state(pid)]
        if not alive:
            return
        time.sleep(0.1)
    raise AssertionError("the worker outlived the server")


def _process_state(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
