"""Guide: a page for the people who receive a release, made from the published folder and from nothing else.

It can tell no more than the folder does: no table, report or statistic of the publisher is at hand when it is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voile.errors import RECOGNISABLE, BrokenPromise, DataError, SpecError
from voile.flow.checking.check_folder import check_folder
from voile.flow.guide.column_words import describe_columns
from voile.flow.guide.examples import Examples, write_examples
from voile.flow.report.page_rendering import render
from voile.flow.report.sections import columns, promises, summary
from voile.flow.report.sections.limits import list_limits
from voile.flow.report.subject import Subject
from voile.io import text_files
from voile.io.release_folder import CERTIFICATE
from voile.releases.release import Release
from voile.results import Answer, Verdict


def guide(folder: str | Path, name: str | None = None) -> Guide:
    """Write a guide for the recipients of a published folder: what the table is, what each column means, what is
    promised and against whom, how to verify, how to count, and what not to do. BrokenPromise if the folder does not
    keep what it claims. `name` is what the folder will be called.

    >>> import tempfile, voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> place = vl.publish(data, vl.KAnonymity(k=5)).save(tempfile.mkdtemp() + "/release")
    >>> vl.guide(place)
    Guide(release: 4 columns, 1 promise)
    """
    place = Path(folder)
    verdict, release = check_folder(place)
    if verdict.broken or release is None:
        raise BrokenPromise(
            "This folder does not keep what it claims, so it is not for recipients.",
            code="promise.broken",
            hint="Publish it again; verify tells what is broken.",
        )
    return describe_release(release, verdict, name or place.resolve().name)


def describe_release(release: Release, verdict: Verdict, name: str) -> Guide:
    """Write the guide for a release that was read from a folder and checked."""
    subject = Subject(release, None, None, verdict)
    headline, claims = summary.fill(subject)["headline"], promises.fill(subject)["promises"]
    files = {Path(file).stem: file for file in release.certificate.files}
    content: dict[str, Any] = {
        "name": name,
        "shown": headline["shown"],
        "hides": headline["hides"],
        "recognisable": "" if release.shows_boxes else RECOGNISABLE,
        "counted": verdict.unit.count(verdict.people),
        "unit": verdict.unit.describe(),
        "groups": headline["groups"],
        "withheld": int(release.dictionary.get("withheld", 0)),
        "tables": [
            {"file": files.get(table, table), "columns": list(release.tables[table].columns)}
            for table in release.tables
        ],
        "columns": describe_columns(release),
        "answer": subject.answer,
        "open": [check.detail for check in verdict.checks if check.answer is Answer.NEEDS],
        "promises": [claim["promise"] for claim in claims],
        "adversaries": _list_adversaries(claims),
        "joint": any("earlier" in claim["knows"] for claim in claims),
        "limits": list_limits(claims, columns.fill(subject)["columns"], subject.unit),
        "can": list(release.description.computable),
        "cannot": list(release.description.not_computable),
        "tool": release.certificate.tool,
    }
    return Guide(content, write_examples(release, name))


def _list_adversaries(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """List each adversary of the claims once, with the promises that hold against them."""
    listed: dict[str, dict[str, Any]] = {}
    for claim in claims:
        parts = {part: claim[part] for part in ("against", "may_know", "not_covered", "notes")}
        listed.setdefault(json.dumps(parts), {**parts, "promises": []})["promises"].append(claim["promise"])
    return list(listed.values())


@dataclass(frozen=True, eq=False, repr=False)
class Guide:
    """What recipients should know about a release, as a page (`html`) and as JSON; `examples` are commands that run
    beside its folder."""

    content: dict[str, Any]
    examples: Examples

    def __repr__(self) -> str:
        columns, claims = (len(self.content[part]) for part in ("columns", "promises"))
        return f"Guide({self.content['name']}: {columns} columns, {claims} promise{'' if claims == 1 else 's'})"

    @property
    def html(self) -> str:
        """One self-contained page: no script, nothing to load."""
        return render("guide.html", "voile.flow.guide", **self.content, examples=self.examples)

    def as_json(self) -> dict[str, Any]:
        return {**self.content, "examples": self.examples.as_json()}

    def save(self, path: str | Path) -> Path:
        """Write the page to a file that ends in .html. Inside the folder it would be a file that no certificate
        covers, so it belongs beside it."""
        page = Path(path)
        if page.suffix.lower() not in (".html", ".htm"):
            message = f"A guide is an HTML page, but {page.name!r} does not end in .html."
            raise SpecError(message, code="spec.out", hint="Name it READ_ME.html.")
        if (page.parent / CERTIFICATE).exists():
            raise DataError(
                f"The guide {page.name!r} would lie in a release folder, whose certificate does not cover it.",
                code="data.place",
                hint="Write it beside the folder.",
            )
        text_files.write_texts({page: self.html})
        return page
