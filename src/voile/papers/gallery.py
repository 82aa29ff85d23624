"""The gallery on disk: the record of what was computed, and the pages written from it."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import polars as pl

from voile.io.text_files import write_texts
from voile.papers.item_results import TIMES, ItemResult, list_drawings
from voile.papers.paper import Item, Paper, papers
from voile.version import __version__

RECORD = {"item": pl.String, "edition": pl.Int64, "form": pl.String}
CLAIMS = dict.fromkeys(("paper", "item", "where", "says", "printed", "ours", "verdict", "because"), pl.String)
SPENT = {"item": pl.String, "form": pl.String, "cpu_seconds": pl.Float64} | dict.fromkeys(
    ("voile", "python", "polars", "numpy", "numba", "machine"), pl.String
)


def record_result(paper: Paper, item: Item, result: ItemResult, *, quick: bool, out: Path) -> None:
    """Note what was computed beside what was there, and write the pages anew."""
    place, form = out / paper.name, "quick" if quick else "full"
    versions = {"voile": __version__, "python": platform.python_version(), "machine": platform.machine()}
    versions |= {name: version(name) for name in ("polars", "numpy", "numba")}
    record = {"item": item.name, "edition": item.edition, "form": form}
    spent = {"item": item.name, "form": form, "cpu_seconds": round(result.seconds, 2), **versions}
    tables = {
        "items.csv": pl.DataFrame([record], schema=RECORD),
        "claims.csv": pl.DataFrame(
            [{"paper": paper.name, "item": item.name, **claim.as_row()} for claim in result.claims], schema=CLAIMS
        ),
        f"{TIMES}/items.csv": pl.DataFrame([spent], schema=SPENT),
    }
    texts = {place / name: _merge_rows(place / name, paper, item, rows).write_csv() for name, rows in tables.items()}
    write_texts(texts, "record")
    write_texts({place / "README.md": write_paper_page(paper, place)}, "page")
    write_texts({out / "claims.csv": read_claims(out).write_csv(), out / "README.md": write_overview(out)}, "page")


def _merge_rows(path: Path, paper: Paper, fresh: Item, rows: pl.DataFrame) -> pl.DataFrame:
    """Replace the rows of an item that was computed anew; in the paper's order, without items that it has no more."""
    order = [item.name for item in paper.items]
    if path.is_file():
        earlier = pl.read_csv(path, schema=rows.schema).filter(pl.col("item") != fresh.name)
        rows = pl.concat([earlier.filter(pl.col("item").is_in(order)), rows])
    places = {name: place for place, name in enumerate(order)}
    return rows.sort(pl.col("item").replace_strict(places, return_dtype=pl.Int64), maintain_order=True)


def read_claims(out: Path) -> pl.DataFrame:
    """Return the checked claims of all papers of a gallery, as texts."""
    tables = [pl.read_csv(place / "claims.csv", schema=CLAIMS) for place in _list_places(out).values()]
    return pl.concat([pl.DataFrame(schema=CLAIMS), *tables]).with_columns(pl.col("because").fill_null(""))


def _list_places(out: Path) -> dict[str, Path]:
    return {name: out / name for name in sorted(papers()) if (out / name / "items.csv").is_file()}


def write_paper_page(paper: Paper, place: Path) -> str:
    """Return the page of a paper: for each item its claims beside ours, its figures and its numbers."""
    record = {row["item"]: row for row in pl.read_csv(place / "items.csv", schema=RECORD).to_dicts()}
    claims = pl.read_csv(place / "claims.csv", schema=CLAIMS).fill_null("")
    lines = [f"# {paper.title}", ""]
    for item in paper.items:
        lines += [f"## {item.title}", ""]
        if item.name in record:
            lines += _write_section(item, record[item.name], claims.filter(pl.col("item") == item.name))
        else:
            lines += ["Not computed here.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _write_section(item: Item, record: dict[str, object], claims: pl.DataFrame) -> list[str]:
    facts = [f"[{item.name}.csv]({item.name}.csv)"]
    facts += [f"[times]({TIMES}/{item.name}.csv)"] if item.times else []
    facts += ["quick form: fewer rows and repetitions than in the paper"] if record["form"] == "quick" else []
    facts += [f"random numbers: {item.seed}"] if item.seed else []
    facts += [f"edition {record['edition']}"]
    lines = [f"Numbers: {'; '.join(facts)}.", ""]
    lines += [item.note, ""] if item.note else []
    if claims.height:
        lines += ["| where | printed claim | printed | ours | verdict |", "|---|---|---|---|---|"]
        lines += [_write_claim(row) for row in claims.to_dicts()]
        lines += [""]
    else:
        lines += ["The paper prints no number for this: verdict *not in the text*.", ""]
    for name, figures in list_drawings(item):
        shown = ", ".join(dict.fromkeys(figure.caption or figure.y_title or figure.y for figure in figures))
        lines += [f"![{item.title}: {shown}]({name})", ""]
    return lines


def _write_claim(row: dict[str, str]) -> str:
    verdict = f"**differs**, because {row['because']}" if row["verdict"] == "differs" else row["verdict"]
    cells = (row["where"], row["says"], row["printed"], row["ours"], verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write_overview(out: Path) -> str:
    """Return the page of the gallery: each paper and item with its verdicts."""
    claims = read_claims(out)
    agreeing = claims.filter(pl.col("verdict") == "agrees").height
    lines = [
        "# The source papers, recomputed",
        "",
        "The tables and figures of the papers that voile implements, computed by voile and put beside what the papers "
        "print. A program compares the two; where they differ, the page of the paper says why.",
        "",
        f"**{claims.height} printed claims: {agreeing} agree, {claims.height - agreeing} differ**, each with its "
        "reason. All of them are in [claims.csv](claims.csv).",
        "",
        "| paper | item | claims | agree | differ | form |",
        "|---|---|---|---|---|---|",
    ]
    for name, place in _list_places(out).items():
        record = {row["item"]: row["form"] for row in pl.read_csv(place / "items.csv", schema=RECORD).to_dicts()}
        for item in papers()[name].items:
            mine = claims.filter((pl.col("paper") == name) & (pl.col("item") == item.name))
            agree = mine.filter(pl.col("verdict") == "agrees").height
            counts = (mine.height, agree, mine.height - agree) if mine.height else ("not in the text", "", "")
            form = record.get(item.name, "not computed")
            cells = (f"[{name}]({name}/README.md)", item.title, *map(str, counts), form)
            lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "*Not in the text* means that the paper prints no number for an item. *Form* says whether it was computed at "
        "full size or in the quick form, with fewer rows and repetitions.",
        "",
        "To compute it again: `voile reproduce all --data adult.csv --out docs/reproduction`, in minutes with "
        "`--quick`. `adult.csv` is the Adult table of UCI: train and test, the nine columns of the papers, rows "
        "without unknown values. Keys and seeds are fixed, so two runs write the same files. What depends on the "
        "clock or the machine (times, versions) is in the folders called times. A run that was interrupted goes on "
        "where it was.",
    ]
    return "\n".join(lines) + "\n"
