"""Run long work in another process, with progress and cancelling, so that the page stays responsive.

There is one process per visitor. It stays alive and remembers the table that it read last. Cancelling a job ends the
process; the next job starts a new one. Answers are JSON; anything else that the process prints is dropped, since it may
quote a cell.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_numbers = itertools.count(1)
LOST = {
    "code": "engine.lost",
    "message": "The process ended unexpectedly, perhaps because the machine ran out of memory.",
    "hint": "Try a smaller table or fewer columns, or close other programs.",
}


@dataclass
class Job:
    """One piece of work. `state` is running, done, failed or cancelled; once it has left running, it stays."""

    task: str
    title: str
    payload: Mapping[str, Any]
    number: int = field(default_factory=lambda: next(_numbers))
    state: str = "running"
    done: int = 0
    total: int = 0
    what: str = ""
    heard: int = 0  # number of progress reports so far
    partial: Any = None  # the result so far, while it runs
    finds: int = 0  # how often the partial result has grown
    result: Any = None
    error: Mapping[str, Any] | None = None
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None

    @property
    def running(self) -> bool:
        return self.state == "running"

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.started

    def end(self, state: str, result: Any = None, error: Mapping[str, Any] | None = None) -> None:
        if self.running:
            self.result, self.error, self.ended, self.state = result, error, time.monotonic(), state

    def as_json(self) -> dict[str, Any]:
        """Return the state of the job, which the page polls."""
        progress = {"done": self.done, "total": self.total, "what": self.what, "seconds": round(self.seconds, 1)}
        job = {"job": self.number, "title": self.title, "state": self.state}
        return {**job, "heard": self.heard, "finds": self.finds, **progress}


class Worker:
    """The process of one visitor, as the server sees it. Its temporary files are in `folder`, which is its own."""

    def __init__(self, folder: Path, plugins: Sequence[str] = ()) -> None:
        self.folder, self.plugins = folder, tuple(plugins)
        self.job: Job | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        return self.job is not None and self.job.running

    def warm(self) -> None:
        """Start the process before it is needed."""
        with self._lock:
            self._ensure_process()

    def submit(self, task: str, title: str, payload: Mapping[str, Any]) -> Job:
        """Start a job; cancel one that is still running."""
        self.cancel()
        job = Job(task, title, payload)
        try:
            with self._lock:
                self.job = job
                process = self._ensure_process()
            self._send(process, {"job": job.number, "task": task, "payload": payload})
        except OSError:
            job.end("failed", error=LOST)
        return job

    def cancel(self) -> None:
        """End the running job, and its process with it."""
        if self.busy:
            assert self.job is not None
            self.job.end("cancelled")
            self.close()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _kill(process)

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            if self._process.poll() is None:
                return self._process
            _kill(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)  # temporary files of a process that was ended
        self.folder.mkdir(mode=0o700)
        process = subprocess.Popen(
            [sys.executable, "-m", "voile.web.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(self.folder)},
            start_new_session=True,  # so that Ctrl-C reaches only the server, which ends this process in order
        )
        self._process = process
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        self._send(process, {"plugins": list(self.plugins)})
        return process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], message: Mapping[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Read the messages of the process until it ends."""
        assert process.stdout is not None
        try:
            for line in process.stdout:
                self._update_job(json.loads(line))
        except (OSError, ValueError):
            pass  # it ended in the middle of a message
        with self._lock:  # a job that has started since then runs in another process
            job = self.job if self._process is process else None
        if job is not None:
            job.end("failed", error=LOST)

    def _update_job(self, message: Mapping[str, Any]) -> None:
        job = self.job
        if job is None or message.get("job") != job.number:
            return
        if "progress" in message:
            job.done, job.total, job.what = message["progress"]
            job.heard += 1
        elif "found" in message:
            job.partial, job.finds = message["found"], job.finds + 1
        elif "error" in message:
            job.end("failed", error=message["error"])
        else:
            job.end("done", result=message.get("result"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError, ValueError):  # the last request may still be in the pipe
            assert pipe is not None
            pipe.close()


async def wait_for(job: Job, patience: float) -> Job:
    """Wait for a job, for at most `patience` seconds."""
    deadline = time.monotonic() + patience
    while job.running and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    return job
