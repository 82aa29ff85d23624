"""Start a session on a cluster, or say why there is none."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
import warnings
from typing import Any
from urllib.parse import urlsplit

from voile.errors import EngineError

CONNECT = 15002  # the port of Spark Connect, where none is named
PATIENCE = 10.0  # seconds


def start_session(master: str) -> Any:
    """Start a session on a cluster; EngineError says what is missing."""
    if importlib.util.find_spec("pyspark") is None:
        raise EngineError("PySpark is not installed.", code="engine.extra", hint="Install voile[spark].")
    remote = master.startswith("sc://")
    if remote and importlib.util.find_spec("grpc") is None:
        raise EngineError(
            "Spark Connect is not installed.", code="engine.extra", hint="Install voile[spark] and pyspark[connect]."
        )
    if not remote and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise EngineError(
            "Spark needs Java, and there is none.",
            code="engine.java",
            hint="Install a Java runtime, version 17 or 21 (Debian: apt-get install default-jre-headless), or set "
            "JAVA_HOME.",
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return (_connected if remote else _classic)(master)
    except Exception as error:
        raise EngineError(
            f"Spark at {_hide_parameters(master)!r} cannot be reached ({name_cause(error)}).",
            code="engine.master",
            hint="Check the URL of the master and that it is running.",
        ) from None


def _hide_parameters(master: str) -> str:
    """Return a URL without its parameters, which may hold a token, and with no space in its password, since an error
    hides a password up to the next space.

    >>> _hide_parameters("sc://ann:a b@host/;token=abc")
    'sc://ann:a_b@host'
    """
    return "_".join(master.split("/;")[0].split())


def _classic(master: str) -> Any:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    quiet = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
    return quiet.master(master).appName("voile").getOrCreate()


def _connected(url: str) -> Any:
    """A session by Spark Connect, made by its own class: the common one would turn the whole process to Connect.
    Where nobody answers, Spark would ask again for minutes."""
    place = urlsplit(url)
    socket.create_connection((place.hostname or "", place.port or CONNECT), PATIENCE).close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PySpark's own, about versions of pandas
        from pyspark.sql.connect.session import SparkSession

        builder: Any = SparkSession.builder
        return builder.remote(url).getOrCreate()


def name_cause(error: BaseException) -> str:
    """Return the kind of an error without its message, because a message of Spark's may quote a cell."""
    text = str(error)
    for line in text.splitlines():
        head = line.strip().split(":")[0]
        if head.endswith(("Error", "Exception")) and " " not in head:
            return head.split(".")[-1]
    return type(error).__name__
