"""The options that several commands share, and what their text means."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from voile.errors import SpecError

_DATA = typer.Option("--data", help="The table that the release was made from.")

Source = Annotated[str, typer.Argument(metavar="INPUT", help="A CSV, Parquet or Arrow file, or a database URL.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")]
Names = Annotated[str | None, typer.Option(metavar="a,b,c")]
Json = Annotated[bool, typer.Option("--json", help="Answer as JSON on standard output.")]
Plugins = Annotated[list[str] | None, typer.Option("--plugin", help="A module or .py file with further plug-ins.")]
Data = Annotated[str | None, _DATA]
NeededData = Annotated[str, _DATA]
Trees = Annotated[Path | None, typer.Option("--hierarchies", help="A folder of <column>.csv, leaf first.")]
Adversaries = Annotated[
    list[str] | None, typer.Option("--adversary", help="A preset, e.g. insurer (voile adversaries lists them).")
]
After = Annotated[
    list[Path] | None, typer.Option("--after", help="An earlier release of the same people; first first.")
]
KeyFile = Annotated[Path | None, typer.Option("--key-file", help="64 hexadecimal digits, for a repeatable release.")]
LedgerFile = Annotated[Path | None, typer.Option("--ledger", help="Who was shown with which values (m-invariance).")]
Query = Annotated[str | None, typer.Option("--query", help="A SQL statement, where the table is a database URL.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="The CSV's delimiter; guessed by default.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="The CSV's encoding; UTF-8 by default.")]
Null = Annotated[list[str] | None, typer.Option("--null", help="A text that means missing, e.g. --null '?'.")]

Place = Annotated[
    str | None,
    typer.Option("--engine", help="local, disk (larger than memory), spark, or auto: local unless it does not fit."),
]
Memory = Annotated[str | None, typer.Option("--memory", help="How much disk and spark may use here, e.g. 4GiB.")]
Master = Annotated[str | None, typer.Option("--master", help="spark: spark://..., yarn, k8s://..., sc://...")]
Scratch = Annotated[str | None, typer.Option("--scratch", help="disk: a folder for temporary files.")]

Reading = dict[str, Any]  # how a table is read: the keywords of flow.read
Engine = dict[str, Any]  # where its rows lie: the keywords of flow.chunks.engine_for


def _reading(query: Query = None, delimiter: Delimiter = None, encoding: Encoding = None, null: Null = None) -> Reading:
    return given(query=query, delimiter=delimiter, encoding=encoding, null_values=null)


def _engine(engine: Place = None, memory: Memory = None, master: Master = None, scratch: Scratch = None) -> Engine:
    return given(engine=engine, memory=memory, master=master, scratch=scratch)


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """A command that reads a table: its parameters `reading` and `place` appear as the options of `_reading` and
    `_engine`, in the same place."""
    own = inspect.signature(command, eval_str=True)
    groups = {name: make for name, make in (("reading", _reading), ("place", _engine)) if name in own.parameters}
    options = {name: inspect.signature(make, eval_str=True).parameters for name, make in groups.items()}

    @functools.wraps(command)
    def spread(**told: Any) -> None:
        for name, make in groups.items():
            told[name] = make(**{option: told.pop(option) for option in options[name]})
        command(**told)

    shown: list[inspect.Parameter] = []
    for parameter in own.parameters.values():
        shown += options[parameter.name].values() if parameter.name in groups else (parameter,)
    keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in shown]
    spread.__signature__ = own.replace(parameters=keywords)  # type: ignore[attr-defined]  # what typer looks at
    return spread


def given(**options: Any) -> dict[str, Any]:
    """The options that were given.

    >>> given(p=0.5, k=None)
    {'p': 0.5}
    """
    return {name: value for name, value in options.items() if value is not None}


def names(text: str) -> list[str]:
    """The names of a list.

    >>> names("age, zip,")
    ['age', 'zip']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def numbers(option: str, text: str, kind: type[Any]) -> list[Any]:
    """The numbers of a list.

    >>> numbers("k", "2,4", int)
    [2, 4]
    """
    try:
        return [kind(part) for part in names(text)]
    except ValueError:
        raise SpecError(f"--{option} {text!r} is no list of numbers.", code="spec.number", hint="E.g. 2,4,6.") from None


def pair(text: str) -> tuple[str, str]:
    """COLUMN=VALUE.

    >>> pair("zip = prefixes:5,3,1")
    ('zip', 'prefixes:5,3,1')
    """
    name, sign, value = text.partition("=")
    if not sign:
        raise SpecError(f"{text!r} has no '='.", code="spec.pair", hint="Write COLUMN=VALUE.")
    return name.strip(), value.strip()


def public_values(text: str) -> tuple[str, list[Any]]:
    """COLUMN=a|b|c, or COLUMN=0..49 for whole numbers.

    >>> public_values("sex=F|M"), public_values("rooms=1..3")
    (('sex', ['F', 'M']), ('rooms', [1, 2, 3]))
    """
    name, listed = pair(text)
    low, dots, high = listed.partition("..")
    if dots and low.lstrip("-").isdigit() and high.lstrip("-").isdigit():
        return name, list(range(int(low), int(high) + 1))
    return name, listed.split("|")
