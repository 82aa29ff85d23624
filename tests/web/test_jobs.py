"""Work in another process: progress, results, errors, cancelling, and a process that dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from voile.web.jobs import Job, Worker


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    worker = Worker(tmp_path_factory.mktemp("worker"))
    yield worker
    worker.close()


def wait_until_ended(job: Job) -> Job:
    for _ in range(1200):
        if not job.running:
            return job
        time.sleep(0.05)
    raise AssertionError("the work did not end")


def inspect(worker: Worker, path: Path) -> Job:
    return worker.submit("inspect", "Looking", {"source": str(path)})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("age,disease\n" + "".join(f"{n % 9},{'ab'[n % 2]}\n" for n in range(50)))
    return path


def test_a_result_comes_back(worker: Worker, table: Path) -> None:
    job = wait_until_ended(inspect(worker, table))
    assert (job.state, job.result["people"]) == ("done", 50)
    assert (job.done, job.total) == (0, 1)  # the progress that the task reported
    status = job.as_json()
    assert status["state"] == "done"
    assert status["what"] == "Reading the table"


def test_an_error_comes_back_with_its_code_and_kind(worker: Worker, tmp_path: Path) -> None:
    job = wait_until_ended(inspect(worker, tmp_path / "nothing.csv"))
    assert job.state == "failed"
    assert job.error is not None
    assert (job.error["code"], job.error["kind"]) == ("data.no-file", "DataError")


def test_an_unexpected_error_shows_no_cell(worker: Worker) -> None:
    payload: Any = {"source": {"Jane Doe": "HIV"}}
    job = wait_until_ended(worker.submit("mark", "Looking", payload))
    assert job.error is not None
    assert job.error["code"] == "internal"
    assert "Jane" not in str(job.error)


def test_a_process_that_dies_is_replaced(worker: Worker, table: Path) -> None:
    wait_until_ended(inspect(worker, table))
    process = worker._process
    assert process is not None
    job = worker.submit("inspect", "Looking", {"source": str(table)})
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert wait_until_ended(job).state in ("failed", "done")
    assert wait_until_ended(inspect(worker, table)).state == "done"


def test_a_new_job_cancels_the_old_one(worker: Worker, table: Path) -> None:
    first = inspect(worker, table)
    second = inspect(worker, table)
    assert wait_until_ended(second).state == "done"
    assert first.state in ("cancelled", "done")
