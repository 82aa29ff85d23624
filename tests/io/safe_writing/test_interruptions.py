"""Signals wait for the end of a step, and it is known what was written."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

import voile as vl
from voile.io.safe_writing.file_replacement import replace_files
from voile.io.safe_writing.interruptions import (
    hold_signals,
    note_written,
    record_writes,
    remember_interrupt,
    remembered_interrupts,
)


def test_an_interrupt_waits_for_the_end_of_a_step() -> None:
    before = signal.getsignal(signal.SIGINT)
    done = []

    def work() -> None:
        with hold_signals():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append("step")
        done.append("next step")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["step"]
    assert signal.getsignal(signal.SIGINT) is before


def test_steps_within_steps() -> None:
    done = []

    def work() -> None:
        with hold_signals():
            with hold_signals():
                signal.raise_signal(signal.SIGINT)
            done.append("outer step")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["outer step"]


def test_an_error_in_a_step_gives_the_handlers_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ValueError, match="x"), hold_signals():
        raise ValueError("x")
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_have_no_signals_to_hold() -> None:
    done = []

    def work() -> None:
        with hold_signals():
            done.append("step")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == ["step"]


def test_nothing_is_replaced_after_an_interrupt_that_was_swallowed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    release = vl.publish(vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex"])), vl.KAnonymity(k=5))
    place = release.save(tmp_path / "saved")
    remember_interrupt(signal.SIGINT)
    try:
        with record_writes() as written:
            with pytest.raises(KeyboardInterrupt):
                replace_files({tmp_path / "a": b"1", tmp_path / "b": b"2"})
            with pytest.raises(KeyboardInterrupt):
                release.save(tmp_path / "folder")
            with pytest.raises(KeyboardInterrupt):
                vl.pack(place, tmp_path / "packed.zip")
    finally:
        remembered_interrupts().clear()
    assert written == []
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "saved"]


def test_writes_are_recorded_once_they_are_in_place(tmp_path: Path) -> None:
    note_written(tmp_path)  # nobody listens
    with record_writes() as written:
        replace_files({tmp_path / "a": b"1", tmp_path / "b": b"2"})
        replace_files({tmp_path / "a": b"3"})
        (tmp_path / "c").mkdir()
        (tmp_path / "c" / "full").write_text("")
        with pytest.raises(OSError, match=r"[Dd]irectory"):
            replace_files({tmp_path / "c": b"4"})
    assert written == [tmp_path / "a", tmp_path / "b"]
