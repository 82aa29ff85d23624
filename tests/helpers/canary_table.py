"""A table whose cells are easy to recognize, and a check that a text shows none of them."""

from __future__ import annotations

import datetime
import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import voile as vl
from voile.errors import VoileError

NAME = "Quirinius Zbygniew"


CITY = "Llanfairpwll"


CODE = "QZ-77Q"


NUMBER = 987_654_321


REAL = 31337.424242


DAY = datetime.date(1907, 7, 17)


ILLNESS = "Psittacosis"


OTHER = "Kakapo"


TEXTS = (NAME, "Zbygniew", CITY, CODE, ILLNESS, OTHER)


NUMBERS = (str(NUMBER), "987,654,321", "31337.42", "1907-07-17", "1907, 7, 17")


CANARIES = (*TEXTS, *NUMBERS)


def make_table(rows: int = 40) -> pl.DataFrame:
    """People like others, and the canary in the first row."""
    days = [DAY, *(datetime.date(1980, 1, 1) + datetime.timedelta(n) for n in range(rows - 1))]
    return pl.DataFrame(
        {
            "name": [NAME, *(f"person {n}" for n in range(rows - 1))],
            "city": [CITY, *(("Paris", "Nice", "Lyon")[n % 3] for n in range(rows - 1))],
            "code": [CODE, *(f"A{n % 4}-{n % 10}" for n in range(rows - 1))],
            "number": [NUMBER, *range(rows - 1)],
            "real": [REAL, *(n / 7 for n in range(rows - 1))],
            "born": days,
            "illness": [ILLNESS, *(("flu", "gout", "cold")[n % 3] for n in range(rows - 1))],
            "ward": [OTHER, *(("north", "south")[n % 2] for n in range(rows - 1))],
        }
    )


QUASI = ["city", "code", "number", "real", "born"]


ROLES: dict[str, Any] = {"identifier": ["name"], "quasi": QUASI, "sensitive": ["illness"], "other": ["ward"]}


def read_table(frame: Any = None, **more: Any) -> Any:
    return vl.read(make_table() if frame is None else frame, vl.Schema(**{**ROLES, **more}))


def assert_clean(text: str) -> None:
    shown = [canary for canary in CANARIES if canary.lower() in text.lower()]
    assert not shown, f"it shows {shown}"


def write_file(place: Path, name: str, content: str | bytes) -> Path:
    path = place / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write_csv(place: Path, change: Callable[[str], str | bytes] = lambda text: text) -> Path:
    return write_file(place, "t.csv", change(make_table().write_csv()))


def raise_talkative(*_: Any, **__: Any) -> Any:
    raise pl.exceptions.ComputeError(f"cannot write {CITY} {ILLNESS}")


def render_error(error: BaseException) -> str:
    """All that a terminal, a log or a crash report would show of an error."""
    texts = ["".join(traceback.format_exception(error)), str(error), repr(error), repr(error.args)]
    texts += [f"{key}={value!r}" for key, value in vars(error).items()]
    if isinstance(error, VoileError):
        texts.append(json.dumps(error.as_json()))
    for inner in (error.__cause__, None if error.__suppress_context__ else error.__context__):
        if inner is not None:
            texts.append(render_error(inner))
    return "\n".join(texts)
