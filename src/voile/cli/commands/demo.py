"""`voile demo`: the whole sentence on a small table, in the words of a user."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json
from voile.cli.terminal import say_json, show_audit, show_losses, show_verdict, steps


def demo(
    out: Annotated[Path, typer.Option(help="Where to leave the release and the report.")] = Path("voile-demo"),
    as_json: Json = False,
) -> None:
    """Publish, verify, audit and measure a small hospital table, and leave a release and a report to open."""
    with steps("read", "publish", "save", "verify", "attack", "measure", "write") as step:
        import voile as vl

        step("read")
        schema = vl.Schema(
            identifier=["name"],
            quasi=["birth", "sex", "zip"],
            sensitive=["disease"],
            hierarchies={"zip": vl.prefixes(5, 3, 1), "birth": vl.dates()},
        )
        data = vl.read(vl.datasets.hospital(), schema)
        step("publish")
        release = vl.publish(data, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))
        step("save")
        place = release.save(out / "release", force=True)
        step("verify")
        verdict = vl.verify(place)
        step("attack")
        found = vl.audit(release, data)
        step("measure")
        losses = vl.measure(data, release)
        step("write")
        page = vl.report(release, found, losses, verdict).save(out / "report.html")
    if as_json:
        say_json(
            {
                "release": str(place),
                "report": str(page),
                "verdict": verdict.as_json(),
                **found.as_json(),
                **losses.as_json(),
            }
        )
        return
    typer.echo(f"A hospital table of {data.rows.total} patients, published as {release.groups} groups.\n")
    show_verdict(verdict)
    typer.echo("")
    show_audit(found)
    typer.echo("")
    show_losses(losses)
    typer.echo(f"\nRelease: {place}\nReport:  {page}")
