"""Report progress while work is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

TICK = 0.5  # seconds between two reports
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]  # (steps done, steps in all, what is under way)
Say = Callable[[str], None]
Work = Callable[[Say], Result]


def run_with_progress(
    progress: Progress,
    done: int,
    total: int,
    title: str,
    work: Work[Result],
    deliver: Callable[[], None] | None = None,
) -> Result:
    """Run `work(say)` as one step, and report what it says at least every `TICK` seconds; `deliver` is called each time
    too, to hand over what the work has found so far.

    The work runs in a thread of its own and `progress` in the caller's, so an interrupt ends the wait at once. The
    thread has the caller's context: its messages speak the language of the caller's surface.
    """
    now, results, errors = [title], [], []

    def say(what: str) -> None:
        now[0] = f"{title}: {what}"

    def run() -> None:
        try:
            results.append(work(say))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    progress(done, total, title)
    thread.start()
    thread.join(TICK)
    while thread.is_alive():
        progress(done, total, now[0])
        if deliver is not None:
            deliver()
        thread.join(TICK)
    if errors:
        raise errors[0]
    progress(done + 1, total, title)
    return results[0]
