"""A real Spark cluster on this machine: a standalone master and one-core workers, from the installed PySpark."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = "127.0.0.1"


def absent() -> str | None:
    """Return why no cluster can be started here, or None."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "there is no Java"
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "PySpark is not installed"
    return None


@contextmanager
def connect_server() -> Iterator[str]:
    """Start a Spark Connect server with a small Spark of its own, and yield its URL."""
    with socket.socket() as free:
        free.bind((HERE, 0))
        port = free.getsockname()[1]
    settings = {"spark.connect.grpc.binding.address": HERE, "spark.connect.grpc.binding.port": str(port)}
    settings |= {"spark.ui.enabled": "false", "spark.driver.bindAddress": HERE, "spark.driver.host": HERE}
    listed = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = ["org.apache.spark.deploy.SparkSubmit", "--master", "local[2]", *listed, "--class", server]
    with _processes() as start:
        log, _ = start(*command, "spark-internal")
        _waited(log, "Spark Connect server started")
        yield f"sc://{HERE}:{port}"


@dataclass
class Cluster:
    url: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_worker(self, number: int) -> None:
        """Kill a worker and its executors at once."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()


@contextmanager
def cluster(workers: int = 2, memory: str = "2g") -> Iterator[Cluster]:
    """Start a master and its workers; everything is gone afterwards."""
    with _processes() as start:
        deploy = "org.apache.spark.deploy"
        log, _ = start(f"{deploy}.master.Master", "--host", HERE, "--port", "0", "--webui-port", "0")
        url = _waited(log, r"(spark://127\.0\.0\.1:\d+)")
        made = Cluster(url)
        for _ in range(workers):
            where = ("--host", HERE, "--cores", "1", "--memory", memory, "--webui-port", "0")
            log, process = start(f"{deploy}.worker.Worker", *where, url)
            _waited(log, r"Successfully registered with master")
            made.workers.append(process)
        yield made


@contextmanager
def _processes() -> Iterator[Callable[..., tuple[Path, subprocess.Popen[bytes]]]]:
    """Yield a function that starts a class of Spark in a process with a log; all processes end with the context."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = tempfile.mkdtemp()
    settings = {"SPARK_LOCAL_IP": HERE, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    environment = {**os.environ, **settings, "SPARK_WORKER_DIR": folder, "SPARK_LOCAL_DIRS": folder}
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> tuple[Path, subprocess.Popen[bytes]]:
        log = Path(folder) / f"{len(started)}.log"
        command = [str(home / "bin" / "spark-class"), *arguments]
        with log.open("wb") as out:
            # a group of its own, so that executors end with their worker
            started.append(
                subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
            )
        return log, started[-1]

    try:
        yield start
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _waited(log: Path, pattern: str, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"Spark did not start:\n{log.read_text(errors='replace')[-2000:]}")


def session(master: str, **settings: str) -> Any:
    """Open a session on the loopback interface, without a web page."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = HERE
    fixed = {"spark.ui.enabled": "false", "spark.driver.host": HERE, "spark.driver.bindAddress": HERE}
    fixed |= {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR", "spark.executor.memory": "1500m"}
    builder: Any = SparkSession.builder
    for name, value in {**fixed, **settings}.items():
        builder = builder.config(name, value)
    return builder.master(master).appName("voile tests").getOrCreate()
