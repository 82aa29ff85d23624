"""The options that several commands share, and how their text is parsed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from voile.cli.prepare_flags import prepare_options
from voile.errors import SpecError
from voile.plugins.number_text import parse_whole

_DATA = typer.Option("--data", help="The table that the release was made from.")

Source = Annotated[
    str, typer.Argument(metavar="INPUT", help="A CSV, Parquet, Arrow, Excel, Stata or SPSS file, or a database URL.")
]
SpecFile = Annotated[Path | None, typer.Option("--spec", help="A spec.toml; flags win over it.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")]
ColumnNames = Annotated[str | None, typer.Option(metavar="a,b,c")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Plugins = Annotated[list[str] | None, typer.Option("--plugin", help="A module or .py file with further plug-ins.")]
Data = Annotated[str | None, _DATA]
RequiredData = Annotated[str, _DATA]
HierarchyFolder = Annotated[Path | None, typer.Option("--hierarchies", help="A folder of <column>.csv, leaf first.")]
HierarchyRecipes = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="COLUMN=RECIPE: auto, intervals:5,10, ages, prefixes:5,3,1, dates, alike, frequency, icd10, "
        "countries, isco08 or education.",
    ),
]
Adversaries = Annotated[
    list[str] | None,
    typer.Option("--adversary", help="An adversary by name, e.g. insurer; `voile adversaries` lists them."),
]
After = Annotated[
    list[Path] | None,
    typer.Option("--after", help="An earlier release of the same people; repeat it, the earliest first."),
]
KeyFile = Annotated[Path | None, typer.Option("--key-file", help="64 hexadecimal digits; makes a release repeatable.")]
LedgerFile = Annotated[
    Path | None,
    typer.Option("--ledger", help="A record of who sat in which group, kept from release to release; secret."),
]
SigningKeyFile = Annotated[
    Path | None,
    typer.Option("--sign", metavar="KEY.PEM", help="A private Ed25519 key; the release is signed with it."),
]
SignerFile = Annotated[
    Path | None,
    typer.Option("--signer", metavar="PUB.PEM", help="The public Ed25519 key of whoever should have signed it."),
]
Models = Annotated[
    list[str] | None, typer.Option("--model", help="E.g. k-anonymity:k=5; repeat it to ask for several together.")
]
ForAudience = Annotated[
    str | None,
    typer.Option("--for", metavar="AUDIENCE", help="Recommend a promise for readers: inside, partner or public."),
]
Missing = Annotated[str | None, typer.Option("--missing", help="Rows with missing cells: error, drop or value.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="COLUMN=KIND: categorical, ordered, numeric or date.")]
Domains = Annotated[
    list[str] | None, typer.Option("--domain", help="COLUMN=a|b|c or COLUMN=0..49: the values it may have.")
]
Person = Annotated[str | None, typer.Option("--person", help="The column that tells people apart; never published.")]
RowsPerPerson = Annotated[
    int | None,
    typer.Option("--rows-per-person", help="How many rows of a person are published at most; 1 by default."),
]
RowsAre = Annotated[
    str | None,
    typer.Option(
        "--rows-are", help="people: every row is a person, although values of an identifier repeat, as names do."
    ),
]
Weight = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="A survey weight; it is coarsened, or withheld.")
]
WithholdWeight = Annotated[
    bool | None, typer.Option("--withhold-weight", help="Measure with the survey weight, and do not publish it.")
]
Confirmed = Annotated[
    str | None,
    typer.Option("--confirmed", "--confirm", metavar="a,b,c", help="Nearly unique columns to publish as they are."),
]
Guarding = Annotated[
    list[str] | None,
    typer.Option(
        "--guarding", help="COLUMN=NODES: the column with the node of COLUMN that each person guards; never published."
    ),
]
Steering = Annotated[
    list[str] | None,
    typer.Option(
        "--steering",
        metavar="COLUMN:weight=2,...",
        help="Wishes for a column: weight, finest, coarsest, by_rank, bottom, top, round, tails; repeat it per column.",
    ),
]
QuasiSets = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi-sets",
        metavar="a,b,c",
        help="Quasi-identifiers that one adversary may know together; repeat it per set.",
    ),
]
Query = Annotated[str | None, typer.Option("--query", help="A SQL statement, if the table is a database URL.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="The CSV's delimiter; guessed by default.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="The CSV's encoding; found by default.")]
Null = Annotated[list[str] | None, typer.Option("--null", help="A text that means missing, e.g. --null '?'.")]
Convert = Annotated[
    list[str] | None,
    typer.Option(
        "--convert",
        help="COLUMN=READING: how its text is read: text (as written), day-first, month-first, year-first, "
        "decimal-comma or decimal-point; of Stata and SPSS labels or codes; found by default.",
    ),
]
Merge = Annotated[
    str | None,
    typer.Option("--merge", metavar="a,b,c", help="Columns whose values are one if only case and blanks differ."),
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="A workbook's sheet, by its name or its number.")]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine", help="local, disk (for tables larger than memory), spark, or auto: local if the table fits."
    ),
]
Memory = Annotated[
    str | None, typer.Option("--memory", help="Memory that disk and spark may use on this machine, e.g. 4GiB.")
]
Master = Annotated[str | None, typer.Option("--master", help="spark: spark://..., yarn, k8s://..., sc://...")]
Scratch = Annotated[str | None, typer.Option("--scratch", help="disk: a folder for temporary files.")]

ReadOptions = Mapping[str, Any]  # how a table is read: the keywords of voile.read
EngineOptions = Mapping[str, Any]  # where its rows are stored: engine, memory, master, scratch
PrepareOptions = Mapping[str, Any]  # how it is changed at the border: the options of prepare_flags
SchemaOptions = Mapping[str, Any]  # what its columns are for, as typed: combine_spec reads them

LARGEST_DOMAIN = 1_000_000  # values of a domain that are listed by their ends


def _read_options(
    query: Query = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    null: Null = None,
    convert: Convert = None,
    merge: Merge = None,
    sheet: Sheet = None,
) -> ReadOptions:
    conversions = dict(map(parse_pair, convert)) if convert else None
    merged = split_names(merge) if merge else None
    return drop_unset(
        query=query,
        delimiter=delimiter,
        encoding=encoding,
        null_values=null,
        convert=conversions,
        merge=merged,
        sheet=sheet,
    )


def _engine_options(
    engine: EngineName = None, memory: Memory = None, master: Master = None, scratch: Scratch = None
) -> EngineOptions:
    return drop_unset(engine=engine, memory=memory, master=master, scratch=scratch)


def _schema_options(
    identifier: ColumnNames = None,
    quasi: ColumnNames = None,
    sensitive: ColumnNames = None,
    other: ColumnNames = None,
    person: Person = None,
    rows_per_person: RowsPerPerson = None,
    rows_are: RowsAre = None,
    weight: Weight = None,
    withhold_weight: WithholdWeight = None,
    confirmed: Confirmed = None,
    guarding: Guarding = None,
    missing: Missing = None,
    kind: Kinds = None,
    domain: Domains = None,
    hierarchies: HierarchyFolder = None,
    hierarchy: HierarchyRecipes = None,
    steering: Steering = None,
    quasi_sets: QuasiSets = None,
) -> SchemaOptions:
    return drop_unset(**locals())


def with_table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command that reads a table: replace its parameters `schema_options`, `read_options`,
    `engine_options` and `prepare_options`, in place, by the single options that they consist of."""
    signature = inspect.signature(command, eval_str=True)
    builders = (
        ("schema_options", _schema_options),
        ("read_options", _read_options),
        ("engine_options", _engine_options),
        ("prepare_options", prepare_options),
    )
    groups = {name: build for name, build in builders if name in signature.parameters}
    options = {name: inspect.signature(build, eval_str=True).parameters for name, build in groups.items()}

    @functools.wraps(command)
    def call_with_groups(**arguments: Any) -> None:
        for name, build in groups.items():
            arguments[name] = build(**{option: arguments.pop(option) for option in options[name]})
        command(**arguments)

    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        parameters += options[parameter.name].values() if parameter.name in groups else (parameter,)
    keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    # typer reads the signature
    call_with_groups.__signature__ = signature.replace(parameters=keywords)  # type: ignore[attr-defined]
    return call_with_groups


def drop_unset(**options: Any) -> dict[str, Any]:
    """Return the options that are set.

    >>> drop_unset(p=0.5, k=None)
    {'p': 0.5}
    """
    return {name: value for name, value in options.items() if value is not None}


def split_names(text: str) -> list[str]:
    """Split a list of names.

    >>> split_names("age, zip,")
    ['age', 'zip']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_numbers(option: str, text: str, kind: type[Any]) -> list[Any]:
    """Parse a list of numbers.

    >>> parse_numbers("k", "2,4", int)
    [2, 4]
    """
    try:
        return [kind(part) for part in split_names(text)]
    except ValueError:
        raise SpecError(
            f"--{option} {text!r} is not a list of numbers.", code="spec.number", hint="E.g. 2,4,6."
        ) from None


def parse_pair(text: str) -> tuple[str, str]:
    """Parse COLUMN=VALUE.

    >>> parse_pair("zip = prefixes:5,3,1")
    ('zip', 'prefixes:5,3,1')
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise SpecError(f"{text!r} has no '='.", code="spec.pair", hint="Write COLUMN=VALUE.")
    return name.strip(), value.strip()


def parse_domain(text: str) -> tuple[str, list[Any]]:
    """Parse COLUMN=a|b|c, or COLUMN=0..49 for integers.

    >>> parse_domain("sex=F|M"), parse_domain("rooms=1..3")
    (('sex', ['F', 'M']), ('rooms', [1, 2, 3]))
    """
    name, values = parse_pair(text)
    low, dots, high = values.partition("..")
    if dots and low.lstrip("-").isdigit() and high.lstrip("-").isdigit():
        return name, _list_integers(name, low, high)
    return name, values.split("|")


def _list_integers(name: str, low: str, high: str) -> list[int]:
    """List the integers of a domain; SpecError if they are more than a domain can have."""
    try:
        first, last = parse_whole(low), parse_whole(high)
    except ValueError:
        first, last = 0, LARGEST_DOMAIN
    if last - first >= LARGEST_DOMAIN:
        raise SpecError(
            f"The domain of {name!r} has more than {LARGEST_DOMAIN:,} values.",
            code="spec.domain",
            hint="Leave it out, and the values of the table are the domain.",
        )
    return list(range(first, last + 1))
