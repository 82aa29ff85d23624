"""The process that does the long work: it reads requests from its input and answers on its output, one JSON per line.

It ends when its input ends, so it never outlives the server, however that one ended.
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

Requests = queue.SimpleQueue[Mapping[str, Any]]


def main() -> None:
    """Run tasks until the server is gone."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # a library that prints must not garble the answers
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
    os._exit(0)  # the server is gone: whatever runs, ends


def _answer(out: IO[bytes], message: Mapping[str, Any]) -> None:
    from voile.web import tasks

    number = message["job"]
    try:
        result = tasks.TASKS[message["task"]](message["payload"], JobProgress(out, number))
        _send(out, {"job": number, "result": result})
    except VoileError as error:
        _send(out, {"job": number, "error": {**error.as_json(), "kind": type(error).__name__}})
    except Exception as error:
        _send(out, {"job": number, "error": describe_unexpected(error)})


@dataclass(frozen=True)
class JobProgress:
    """Reports of one job while it runs."""

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
    """Describe an error that nobody expected by its kind and place alone: its message may quote a cell."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}" if place else "unknown"
    message = f"Unexpected {type(error).__name__} at {where}."
    hint = "This is a bug in voile. Run the same at the command line with VOILE_DEBUG=1 to see the whole error."
    return {"code": "internal", "message": message, "hint": hint}


if __name__ == "__main__":
    main()
