"""Report: one page for the person accountable for a release: the promise, what attacks reach, what analysts lose.

The page and the JSON beside it say the same: the page is drawn from the JSON and from nothing else. Both contain column
names, counts and statistics, and never a cell of the data. `sections` has one module and one template per section.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from voile.errors import SpecError
from voile.flow.report.decision import read_decision
from voile.flow.report.page_rendering import render
from voile.flow.report.pdf_printing import print_page
from voile.flow.report.sections import SECTIONS, draw_sections, fill_sections
from voile.flow.report.subject import Subject
from voile.flow.verify.verify import verify
from voile.io import text_files
from voile.releases.release import Release
from voile.result_tables import write_html
from voile.results import Audit, Losses, Verdict


def report(
    release: Release,
    audit: Audit | None = None,
    losses: Losses | None = None,
    verdict: Verdict | None = None,
    *,
    decided_by: str | None = None,
    decided_on: str | None = None,
    reasons: Sequence[str] = (),
) -> Report:
    """Report on a release: one screen that decides, and everything else folded below it. Sections about an audit or
    about losses appear only if these are given. `decided_by`, `decided_on` (a date) and `reasons` say who chose this
    release and why; what is not given is left blank.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))
    >>> vl.report(vl.publish(data, vl.KAnonymity(k=5)))
    Report(holds, 1 promise, 0 attacks, 0 measures)
    """
    decision = read_decision(decided_by, decided_on, reasons)
    return Report(release, audit, losses, verdict or verify(release), decision)


@dataclass(frozen=True, eq=False, repr=False)
class Report(Subject):
    """Everything known about a release, as a page (`html`), as JSON (`as_json`), or as both in files (`save`)."""

    def __repr__(self) -> str:
        parts = {
            "promise": len(self.release.certificate.claims),
            "attack": len(self.audit.findings) if self.audit else 0,
            "measure": len(self.losses.items) if self.losses else 0,
        }
        counted = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in parts.items())
        return f"Report({self.answer}, {counted})"

    def _repr_html_(self) -> str:
        return self.audit._repr_html_() if self.audit else write_html(repr(self), [])

    @cached_property
    def html(self) -> str:
        """One self-contained page: no script, no font, no address to load from."""
        certificate = json.dumps(self._content["certificate"], indent=2, ensure_ascii=False)
        drawn = draw_sections(self._content)
        return render("report.html", **self._content, sections=SECTIONS, drawn=drawn, stated=certificate)

    def as_json(self) -> dict[str, Any]:
        return json.loads(self._text)  # type: ignore[no-any-return]

    def save(self, path: str | Path) -> Path:
        """Write the page and, beside it, the same as JSON: `report.html` and `report.json`. Returns the page."""
        page = Path(path)
        if page.suffix.lower() not in (".html", ".htm"):
            message = f"A report is an HTML page, but {page.name!r} does not end in .html."
            raise SpecError(message, code="spec.out", hint="Name it report.html.")
        text_files.write_texts({page: self.html, page.with_suffix(".json"): self._text + "\n"})
        return page

    def save_pdf(self, path: str | Path) -> Path:
        """Write the page, unfolded, as a PDF; EngineError if no Chromium is installed that could print it."""
        pdf = Path(path)
        if pdf.suffix.lower() != ".pdf":
            message = f"{pdf.name!r} does not end in .pdf."
            raise SpecError(message, code="spec.out", hint="Name it report.pdf.")
        return print_page(self.html, pdf)

    @cached_property
    def _text(self) -> str:
        return json.dumps(self._content, indent=1, ensure_ascii=False, allow_nan=False)

    @cached_property
    def _content(self) -> dict[str, Any]:
        # JSON has no word for infinity or an undefined number; both become null
        text = json.dumps(fill_sections(self), default=float)
        return json.loads(text, parse_constant=lambda _: None)  # type: ignore[no-any-return]
