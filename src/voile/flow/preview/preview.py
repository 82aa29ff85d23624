"""Preview: see what a release would show before it is saved.

A preview holds rows of the original table. It is for the publisher's eyes, and no file of a release contains it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from voile.flow.checking.people_check import require_people_of
from voile.flow.explore.distributions import Distribution, distributions
from voile.flow.measure.measure import match_release
from voile.flow.preview.row_pairs import RowPair, pair_rows
from voile.releases.release import Release
from voile.result_tables import ResultTable, write_lines
from voile.tables.microdata import Microdata
from voile.tables.secret_key import Key

ROWS = 20
FOR_YOU = "This preview shows rows of the original table: it is for you alone, and no file of a release contains it."


@dataclass(frozen=True)
class ColumnView:
    """How exact a column is: the share of published rows that show one value (`exact`), a range or a set (`coarse`), or
    `*` (`stars`). The values of a sensitive column are exact; what is lost is who has them."""

    column: str
    role: str
    exact: float
    coarse: float
    stars: float


@dataclass(frozen=True, eq=False, repr=False)
class Preview(ResultTable):
    """What a release would show: `rows` of the original table beside the published ones, how exact each column is, the
    distributions before and after, and what a recipient can and cannot compute. `withheld` rows are not published."""

    names: tuple[str, ...]
    rows: tuple[RowPair, ...]
    columns: tuple[ColumnView, ...]
    distributions: tuple[Distribution, ...]
    can: tuple[str, ...]
    cannot: tuple[str, ...]
    people: int
    withheld: int
    recognisable: bool

    def __repr__(self) -> str:
        return f"Preview({len(self.rows)} rows, {len(self.columns)} columns; {self.withheld} rows withheld)"

    def _list_rows(self) -> list[dict[str, Any]]:
        listed = []
        for pair in self.rows:
            shown = pair.published or ("withheld", *[""] * (len(self.names) - 1))
            cells = zip(self.names, pair.original, shown, strict=True)
            listed.append({head: text for name, one, two in cells for head, text in ((name, one), (f"→ {name}", two))})
        return listed

    def __str__(self) -> str:
        parts = [repr(self), FOR_YOU, "", *write_lines(self._list_rows()), ""]
        exactness = [
            {"column": view.column, **{name: f"{share:.0%}" for name, share in _shares(view).items()}}
            for view in self.columns
        ]
        moved = {item.column: item.moved for item in self.distributions}
        exactness = [
            {**row, "counted under another value": f"{moved.get(row['column'], 1.0):.0%}"} for row in exactness
        ]
        parts += [*write_lines(exactness), "", "A recipient can compute:", *(f"  {text}" for text in self.can)]
        return "\n".join([*parts, "and cannot:", *(f"  {text}" for text in self.cannot)])

    def as_json(self) -> dict[str, Any]:
        return {
            "note": FOR_YOU,
            "names": list(self.names),
            "rows": [asdict(pair) for pair in self.rows],
            "columns": [asdict(view) for view in self.columns],
            "distributions": [{**asdict(item), "moved": item.moved} for item in self.distributions],
            "can": list(self.can),
            "cannot": list(self.cannot),
            "people": self.people,
            "withheld": self.withheld,
            "recognisable": self.recognisable,
        }


def preview(data: Microdata, release: Release, rows: int = ROWS, *, key: Key | None = None) -> Preview:
    """Show what a release would show: rows of the table beside the published ones, the columns before and after, and
    what a recipient can compute. If people have several rows, some of them are drawn with the `key` of the release, and
    only with it can the preview tell rows that were not drawn from those that are withheld.

    >>> import voile as vl
    >>> data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["sex", "zip"], sensitive=["disease"]))
    >>> vl.preview(data, vl.publish(data, vl.KAnonymity(k=5)))
    Preview(20 rows, 3 columns; 0 rows withheld)
    """
    require_people_of(release, data)
    data, left_out = match_release(data, release), data.count_left_out() > 0
    if key is not None and data.people is not None:
        data, left_out = data.with_rows(data.draw(key)), False
    described = {str(entry["name"]) for entry in release.dictionary["columns"]}
    names = [column.name for column in data.columns if column.name in described]
    words = release.description
    return Preview(
        tuple(names),
        pair_rows(data, release, names, rows, fitting=left_out),
        tuple(_view_column(data, release, name) for name in names),
        tuple(distributions(data, release)),
        tuple(words.computable),
        tuple(words.not_computable),
        release.people,
        int(release.dictionary.get("withheld", 0)),
        not release.shows_boxes,
    )


def _view_column(data: Microdata, release: Release, name: str) -> ColumnView:
    role, total = data.columns[name].role, max(release.people, 1)
    if name not in release.box_cells:
        return ColumnView(name, role, 1.0, 0.0, 0.0)
    cells, cell = release.box_cells[name]
    one_value = (cells.sizes == 1) & ~cells.whole & ~cells.labels.is_in(list(cells.prefixes)).to_numpy()
    exact, stars = (int(release.sizes[chosen[cell]].sum()) for chosen in (one_value, cells.whole))
    return ColumnView(name, role, exact / total, (release.people - exact - stars) / total, stars / total)


def _shares(view: ColumnView) -> dict[str, float]:
    return {"exact": view.exact, "coarse": view.coarse, "*": view.stars}
