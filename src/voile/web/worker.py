"""The process that does the long work: it reads requests from its input and writes answers to its output, in JSON.

It ends when its input ends, so it never outlives the server, however the server ends.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from voile.errors import VoileError, speaking
from voile.web.form_labels import write_label
from voile.web.jobs import LOST
from voile.web.private_storage import FULL, describe_failure

Requests = queue.SimpleQueue[Mapping[str, Any]]


def main() -> None:
    """Run tasks until the server is gone."""
    out = os.fdopen(os.dup(1), "wb")
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)  # a library that prints must not garble the answers
    requests: Requests = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    from voile.web import tasks

    tasks.warm()
    with speaking(write_label):
        while True:
            message = requests.get()
            if "plugins" in message:
                tasks.load_plugins(message["plugins"])
            else:
                _answer(out, message)


def _listen(requests: Requests) -> None:
    for line in sys.stdin.buffer:
        requests.put(json.loads(line))
    os._exit(0)  # the server is gone: end, whatever is running


def _answer(out: IO[bytes], message: Mapping[str, Any]) -> None:
    from voile.web import tasks

    number = message["job"]
    try:
        result = tasks.TASKS[message["task"]](message["payload"], JobProgress(out, number))
        _send(out, {"job": number, "result": result})
    except VoileError as error:
        _send(out, {"job": number, "error": {**error.as_json(), "kind": type(error).__name__}})
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # a library written in Rust may panic, which is no Exception
        _send(out, {"job": number, "error": describe_unexpected(error)})


@dataclass(frozen=True)
class JobProgress:
    """Reports the progress of one job while it runs."""

    out: IO[bytes]
    job: int

    def __call__(self, done: int, total: int, what: str) -> None:
        _send(self.out, {"job": self.job, "progress": [done, total, what]})

    def share(self, partial: Any) -> None:
        _send(self.out, {"job": self.job, "found": partial})


def _send(out: IO[bytes], message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message, default=float).encode() + b"\n")
    out.flush()


def describe_unexpected(error: BaseException) -> dict[str, str]:
    """Describe an unexpected error by its type and location alone: its message may quote a cell. If the machine lacks
    something, say what."""
    if isinstance(error, OSError) and error.errno in FULL:
        return dict(describe_failure(error).as_json())
    if isinstance(error, MemoryError):
        return LOST
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else "unknown"
    message = f"Unexpected {type(error).__name__} at {where}."
    hint = "This is a bug in voile. Run the same request at the command line with VOILE_DEBUG=1 to see the whole error."
    return {"code": "internal", "message": message, "hint": hint}


if __name__ == "__main__":
    main()
