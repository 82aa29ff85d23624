"""A random forger: composes changes of tables, documents and files, and writes fresh digests."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from forging.document_mutations import mutate_document, restate_claim
from forging.forgery import Forgery
from forging.parquet_bytes import to_bytes

Mutation = Callable[[Forgery, random.Random, Mapping[str, Forgery]], str]
NUMBERS = (0, 1, -1, 2, 7, 2**31, 2**53 + 1, 2**62, 2**63 - 1)
TEXTS = ("", " ", "*", "[20, 30]", "[20, 30]\u200b", "{a|b}", "(missing)", "\\", "Bob Smith", "nan", "-0", "1e5", "ﬂu")
NAMES = ("group", "count", "group_size", "code", "age", "disease", "Group", "age ", "")
TYPES = (
    pl.String,
    pl.Float64,
    pl.Float32,
    pl.Int8,
    pl.Int32,
    pl.UInt64,
    pl.Boolean,
    pl.Categorical,
    pl.Binary,
    pl.Date,
)


def forge_at_random(honest: Mapping[str, Forgery], number: int, seed: int = 0) -> tuple[str, Forgery, list[str]]:
    """Return the name of an honest folder, a forgery of it, and what was changed; the same for the same numbers."""
    rng = random.Random(f"{seed} {number}")
    name = rng.choice(sorted(honest))
    forgery, changes = honest[name].copy(), list[str]()
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        mutation = rng.choices([one for one, _ in MUTATIONS], [weight for _, weight in MUTATIONS])[0]
        try:
            changes.append(f"{mutation.__name__}: {mutation(forgery, rng, honest)}")
        except (pl.exceptions.PolarsError, LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
            changes.append(f"{mutation.__name__}: impossible ({type(error).__name__})")
    return name, forgery, changes


# tables --------------------------------------------------------------------------------------------------------------
def _choose(f: Forgery, rng: random.Random) -> tuple[str, pl.DataFrame]:
    name = rng.choice(f.table_names)
    return name, f.table(name)


def drop_rows(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    dropped = rng.sample(range(table.height), min(rng.choice((1, 1, 2, 5)), table.height))
    f.set_table(name, table[[row for row in range(table.height) if row not in dropped]])
    return f"{name} {dropped}"


def duplicate_rows(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    rows = [rng.randrange(table.height) for _ in range(rng.choice((1, 1, 3)))]
    f.set_table(name, pl.concat([table, table[rows]]))
    return f"{name} {rows}"


def permute_rows(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    f.set_table(name, table[rng.sample(range(table.height), table.height)])
    return name


def double_the_table(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    f.set_table(name, pl.concat([table, table]))
    return name


def change_cells(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    column = rng.choice(table.columns)
    kind, values = table.schema[column], table[column].to_list()
    number = kind.is_integer() and not f.is_csv
    pool: list[Any] = [*set(values), *((*NUMBERS, None) if number else (*TEXTS, None))]
    if column in ("group", "count", "group_size") and f.is_csv:
        pool += [str(value) for value in NUMBERS]
    rows = rng.sample(range(table.height), min(rng.choice((1, 1, 2, 4)), table.height))
    for row in rows:
        values[row] = rng.choice(pool)
        if number and rng.random() < 0.4:
            values[row] = (table[column][row] or 0) + rng.choice((-1, 1))
    wanted = pl.String if kind in (pl.Enum, pl.Categorical) else kind
    f.set_table(name, table.with_columns(pl.Series(column, values, dtype=wanted, strict=not kind.is_temporal())))
    return f"{name}.{column} {rows}"


def swap_cells(f: Forgery, rng: random.Random, _: Any) -> str:
    """Exchange the cells of two rows of one column."""
    name, table = _choose(f, rng)
    column = rng.choice(table.columns)
    order = list(range(table.height))
    for _ in range(rng.choice((1, 2, 4))):
        one, other = rng.randrange(table.height), rng.randrange(table.height)
        order[one], order[other] = order[other], order[one]
    f.set_table(name, table.with_columns(table[column][order]))
    return f"{name}.{column}"


def fill_column(f: Forgery, rng: random.Random, _: Any) -> str:
    """Give all rows of a column one of its cells, or a cell per row."""
    name, table = _choose(f, rng)
    column = rng.choice(table.columns)
    if rng.random() < 0.5 or not table.height:
        cell = table[column].gather([rng.randrange(table.height)] * table.height)
        f.set_table(name, table.with_columns(cell))
        return f"{name}.{column} constant"
    f.set_table(name, table.with_columns(pl.format("v{}", pl.int_range(pl.len())).alias(column)))
    return f"{name}.{column} unique"


def retype_column(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    column, kind = rng.choice(table.columns), rng.choice(TYPES)
    if kind == pl.Binary:
        f.set_table(name, table.with_columns(pl.col(column).cast(pl.String).cast(pl.Binary)))
    else:
        f.set_table(name, table.with_columns(pl.col(column).cast(kind)))
    return f"{name}.{column} {kind}"


def rename_column(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    column, other = rng.choice(table.columns), rng.choice(NAMES)
    f.set_table(name, table.rename({column: other}))
    return f"{name}.{column} to {other!r}"


def add_column(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    column = rng.choice(NAMES)
    cells = rng.choice((pl.int_range(pl.len()) + 1, pl.lit(1), pl.format("p{}", pl.int_range(pl.len()))))
    f.set_table(name, table.with_columns(cells.alias(column)))
    return f"{name}.{column!r}"


def drop_column(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    column = rng.choice(table.columns)
    f.set_table(name, table.drop(column))
    return f"{name}.{column}"


def reorder_columns(f: Forgery, rng: random.Random, _: Any) -> str:
    name, table = _choose(f, rng)
    f.set_table(name, table.select(rng.sample(table.columns, table.width)))
    return name


def relabel_groups(f: Forgery, rng: random.Random, _: Any) -> str:
    """Merge, shift or scale the groups of one table or of all."""
    tables = [name for name in f.table_names if "group" in f.table(name).columns]
    chosen = tables if rng.random() < 0.6 else [rng.choice(tables)]
    group = pl.col("group").cast(pl.Int64)
    how, change = rng.choice(
        [
            ("shift", group + rng.choice(NUMBERS)),
            ("merge", (group + 1) // 2),
            ("negate", -group),
            ("one", group * 0 + 1),
            ("split", group * 2 + pl.int_range(pl.len()) % 2),
        ]
    )
    for name in chosen:
        f.edit(name, lambda table: table.with_columns(change.alias("group")))
    return f"{how} {chosen}"


def add_person(f: Forgery, rng: random.Random, _: Any) -> str:
    """Add a row to every table, as like the last one as the tables allow."""
    for name in f.table_names:
        table = f.table(name)
        f.set_table(name, pl.concat([table, table.tail(1)]))
    return ""


# documents -----------------------------------------------------------------------------------------------------------
def change_certificate(f: Forgery, rng: random.Random, _: Any) -> str:
    return mutate_document(f, "certificate", rng)


def change_dictionary(f: Forgery, rng: random.Random, _: Any) -> str:
    return mutate_document(f, "dictionary", rng)


def claim_something_else(f: Forgery, rng: random.Random, _: Any) -> str:
    return restate_claim(f, rng)


def borrow_part(f: Forgery, rng: random.Random, honest: Mapping[str, Forgery]) -> str:
    """Take a part of a document from another honest folder."""
    other = honest[rng.choice(sorted(honest))].copy()
    key = rng.choice(("claims", "method", "shape", "columns", "unit", "a column", "a claim"))
    if key == "a column":
        f.dictionary["columns"][rng.randrange(len(f.dictionary["columns"]))] = rng.choice(other.dictionary["columns"])
    elif key == "a claim":
        f.certificate["claims"].append(rng.choice(other.claims))
    else:
        mine, theirs = (f.certificate, other.certificate) if key in f.certificate else (f.dictionary, other.dictionary)
        mine[key] = theirs[key]
    return key


# files ---------------------------------------------------------------------------------------------------------------
def add_file(f: Forgery, rng: random.Random, honest: Mapping[str, Forgery]) -> str:
    other = honest[rng.choice(sorted(honest))]
    name = rng.choice(("links.parquet", "microdata.tsv", "notes.txt", "joint" + f.suffix, "quasi" + f.suffix, "x.csv"))
    content = rng.choice((b"Bob Smith has HIV\n", rng.choice(list(other.files.values()))))
    f.add(name, content)
    return name


def add_unlisted_file(f: Forgery, rng: random.Random, _: Any) -> str:
    name = rng.choice(("microdata.tsv", "notes.txt", "extra.parquet"))
    f.add(name, b"Bob Smith has HIV\n", listed=False)
    return name


def rename_file(f: Forgery, rng: random.Random, _: Any) -> str:
    old = rng.choice(sorted(f.files))
    stem, suffix = old.rsplit(".", 1)
    new = rng.choice((f"{stem}.00000.{suffix}", f"{stem.upper()}.{suffix}", f"{stem} .{suffix}", f"{stem}.tsv", stem))
    f.add(new, f.files[old])
    f.drop(old)
    return f"{old} to {new}"


def drop_file(f: Forgery, rng: random.Random, _: Any) -> str:
    name = rng.choice(sorted(f.files))
    f.drop(name)
    return name


def unlist_file(f: Forgery, rng: random.Random, _: Any) -> str:
    name = rng.choice(sorted(f.listed))
    del f.listed[name]
    return name


def list_by_path(f: Forgery, rng: random.Random, _: Any) -> str:
    name = rng.choice(sorted(f.listed))
    f.listed[rng.choice((f"./{name}", f"../forged/{name}", f"{name}/", name.upper()))] = name
    return name


def replace_file(f: Forgery, rng: random.Random, honest: Mapping[str, Forgery]) -> str:
    """Take a table from another honest folder, or exchange two of this one."""
    old, other = rng.choice(sorted(f.files)), honest[rng.choice(sorted(honest))]
    pool = list(other.files.values()) if rng.random() < 0.7 else list(f.files.values())
    f.files[old] = rng.choice(pool)
    return old


def spoil_bytes(f: Forgery, rng: random.Random, _: Any) -> str:
    """Change a few bytes of a file, or cut it."""
    name = rng.choice(sorted(f.files))
    content = bytearray(f.files[name])
    if rng.random() < 0.3:
        content = content[: rng.randrange(len(content))]
    else:
        for _ in range(rng.choice((1, 2, 5))):
            content[rng.randrange(len(content))] = rng.randrange(256)
    f.files[name] = bytes(content)
    return name


def rewrite_parquet(f: Forgery, rng: random.Random, _: Any) -> str:
    """Write a table in another way: row groups, compression, statistics."""
    if f.is_csv:
        raise ValueError
    name, table = _choose(f, rng)
    options: dict[str, Any] = {"row_group_size": rng.choice((1, 7, 100)), "data_page_size": rng.choice((16, 1 << 20))}
    options["use_dictionary"] = rng.random() < 0.5
    odd = rng.choice(("", "write_statistics", "store_schema", "write_page_index", "write_page_checksum", "compression"))
    if odd:
        options[odd] = True if odd != "compression" else rng.choice(("gzip", "brotli"))
    f.add(name + f.suffix, to_bytes(table, **options))
    return f"{name} {options}"


MUTATIONS: tuple[tuple[Mutation, int], ...] = (
    (drop_rows, 6),
    (duplicate_rows, 6),
    (permute_rows, 3),
    (double_the_table, 1),
    (change_cells, 14),
    (swap_cells, 5),
    (fill_column, 3),
    (retype_column, 5),
    (rename_column, 3),
    (add_column, 5),
    (drop_column, 2),
    (reorder_columns, 1),
    (relabel_groups, 4),
    (add_person, 2),
    (change_certificate, 16),
    (change_dictionary, 20),
    (claim_something_else, 6),
    (borrow_part, 5),
    (add_file, 3),
    (add_unlisted_file, 1),
    (rename_file, 2),
    (drop_file, 1),
    (unlist_file, 1),
    (list_by_path, 1),
    (replace_file, 2),
    (spoil_bytes, 3),
    (rewrite_parquet, 2),
)
