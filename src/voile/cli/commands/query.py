"""`voile query`: COUNT, SUM and AVG from a release, with intervals."""

from __future__ import annotations

from typing import Annotated

import typer

from voile.cli.flags import EngineOptions, Folder, Json, Plugins, with_table_options
from voile.cli.inputs import load_plugins, open_release
from voile.cli.terminal import print_json, show_answer, step_bar


@with_table_options
def query(
    release: Folder,
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help='E.g. "select sex, count(*), avg(age) from t group by sex".')
    ],
    draws: Annotated[int, typer.Option(help="How many completions to answer from; at least 2.")] = 20,
    *,
    engine_options: EngineOptions,
    plugin: Plugins = None,
    as_json: Json = False,
) -> None:
    """Answer a SQL query with COUNT, SUM or AVG from a release.

    Each comes with a 95 % interval, and a COUNT also with bounds that are certain.
    """
    with step_bar("load", "answer") as step:
        load_plugins(plugin)
        step("load")
        opened, _ = open_release(release, engine_options, step.part)
        step("answer")
        answer = opened.query(sql, draws)
    print_json(answer.as_json()) if as_json else show_answer(answer)
