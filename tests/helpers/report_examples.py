"""Adversaries, losses and a page reader for the tests of reports."""

from __future__ import annotations

from html.parser import HTMLParser

from voile.adversaries.adversary import Adversary, Knowledge
from voile.results import Loss, Losses

NEIGHBOUR = Adversary.who("neighbour", Knowledge.MEMBERSHIP, Knowledge.QUASI)
INSIDER = Adversary.who("insider", Knowledge.MEMBERSHIP, Knowledge.QUASI, Knowledge.ALGORITHM)
LOSSES = Losses(
    (
        Loss("certainty", "Certainty penalty", 0.41, {"birth": 0.52, "sex": 0.0, "zip": 0.63}, "0 to 1"),
        Loss("query-error", "Query error", 0.2234, {"median": 0.11}, "1,000 queries"),
    )
)


class Page(HTMLParser):
    """The visible text, the headings in order, and every attribute of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.headings, self.attributes, self.tags = "", [], [], []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
