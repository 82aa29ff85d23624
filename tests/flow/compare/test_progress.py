"""Progress: reported while work runs, and in the caller's thread."""

from __future__ import annotations

import time
from typing import Any

import pytest

from voile.flow.compare import progress
from voile.flow.compare.progress import run_with_progress


def test_long_work_is_reported_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "TICK", 0.01)
    words: list[tuple[int, int, str]] = []

    def work(say: Any) -> int:
        say("first")
        while not any("first" in what for _, _, what in words):
            time.sleep(0.001)
        return 7

    assert run_with_progress(lambda *word: words.append(word), 2, 5, "title", work) == 7
    assert words[0] == (2, 5, "title")
    assert (2, 5, "title: first") in words
    assert words[-1] == (3, 5, "title")


def test_errors_of_the_work_and_of_the_caller_are_raised() -> None:
    def failing(say: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_with_progress(lambda *word: None, 0, 1, "title", failing)

    def cancel(*word: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_with_progress(cancel, 0, 1, "title", lambda say: 1)
