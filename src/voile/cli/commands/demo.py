"""`voile demo`: publish, verify, audit and measure a small table, as a user of the Python package would."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json
from voile.cli.terminal import print_json, show_audit, show_losses, show_verdict, step_bar


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the release and the report.")] = Path("voile-demo"),
    as_json: Json = False,
) -> None:
    """Publish, verify, audit and measure a small hospital table; write a release and a report that you can open."""
    with step_bar("read", "publish", "save", "verify", "attack", "measure", "write") as step:
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
        folder = release.save(out / "release", force=True)
        step("verify")
        verdict = vl.verify(folder)
        step("attack")
        audit = vl.audit(release, data)
        step("measure")
        losses = vl.measure(data, release)
        step("write")
        page = vl.report(release, audit, losses, verdict).save(out / "report.html")
    if as_json:
        print_json(
            {
                "release": str(folder),
                "report": str(page),
                "verdict": verdict.as_json(),
                **audit.as_json(),
                **losses.as_json(),
            }
        )
        return
    typer.echo(f"A hospital table of {data.rows.total} patients, published as {release.groups} groups.\n")
    show_verdict(verdict)
    typer.echo("")
    show_audit(audit, release.unit)
    typer.echo("")
    show_losses(losses)
    typer.echo(f"\nRelease: {out / 'release'}\nReport:  {page}")
