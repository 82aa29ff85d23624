"""What a SQL statement asks for. DuckDB parses it; everything that is not on a short list is refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voile.errors import SchemaError, SpecError
from voile.releases.queries.query import Condition, find_conjunction
from voile.tables.schema import suggest_name

AGGREGATES = {"count_star": "COUNT", "count": "COUNT", "sum": "SUM", "avg": "AVG", "mean": "AVG"}
FUNCTIONS = frozenset(
    (
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "~~",
        "!~~",
        "~~*",
        "!~~*",
        "abs",
        "ceil",
        "coalesce",
        "day",
        "floor",
        "lower",
        "month",
        "round",
        "upper",
        "year",
    )
)
CLASSES = frozenset(
    ("CONSTANT", "COLUMN_REF", "FUNCTION", "COMPARISON", "CONJUNCTION", "OPERATOR", "BETWEEN", "CASE", "CAST", "TYPE")
)
TYPES = frozenset(("bigint", "boolean", "date", "double", "float", "integer", "text", "timestamp", "varchar"))
OPERATORS = frozenset(
    ("OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "COMPARE_IN", "COMPARE_NOT_IN", "OPERATOR_COALESCE")
)
PARTS = {
    "ORDER_MODIFIER": "ORDER BY",
    "LIMIT_MODIFIER": "LIMIT",
    "LIMIT_PERCENT_MODIFIER": "LIMIT",
    "DISTINCT_MODIFIER": "DISTINCT",
    "JOIN": "a join",
    "TABLE_FUNCTION": "a function in place of a table",
    "EMPTY": "no table",
    "EMPTY_FROM": "no table",
    "SUBQUERY": "a subquery",
    "WINDOW": "a window function",
    "STAR": "a list of rows (*)",
    "LAMBDA": "a function of its own",
    "PARAMETER": "a parameter",
    "SET_OPERATION_NODE": "UNION, EXCEPT or INTERSECT",
    "EXPRESSION_LIST": "VALUES",
    "PIVOT": "PIVOT",
    "SHOW_REF": "DESCRIBE",
}
HINT = (
    "Ask for COUNT, SUM and AVG of one table, with WHERE and GROUP BY, e.g. select sex, count(*), avg(age) from t "
    "where age between 30 and 40 group by sex."
)


@dataclass(frozen=True, eq=False)
class Output:
    """A column of the answer: its name, and the aggregate that it is (COUNT, SUM or AVG), or nothing for a group key.
    `column` is the column that a key is, if it is one as such; `counts_rows` marks COUNT(*)."""

    name: str
    aggregate: str = ""
    column: str | None = None
    counts_rows: bool = False


@dataclass(frozen=True, eq=False)
class Statement:
    """A query that was understood: its text, the name of its table, its columns, the columns that it mentions, and its
    conditions by column where WHERE is a conjunction of such; else None."""

    text: str
    table: str
    outputs: tuple[Output, ...]
    mentioned: tuple[str, ...]
    conditions: dict[str, Condition] | None

    def __repr__(self) -> str:
        return f"Statement({len(self.outputs)} columns)"


def refuse(what: str) -> SpecError:
    """Return the error for a query with something that is not answered."""
    return SpecError(f"The query has {what}, which is not answered.", code="spec.query", hint=HINT)


def read_statement(connection: Any, text: str, columns: Sequence[str]) -> Statement:
    """Understand a query on a table with these columns. SpecError or SchemaError if it cannot be answered."""
    tree = json.loads(connection.execute("select json_serialize_sql(?)", [text]).fetchone()[0])
    if tree.get("error"):
        raise _unparsed(tree, text)
    if len(tree["statements"]) != 1:
        raise refuse("several statements" if tree["statements"] else "no words")
    node = tree["statements"][0]["node"]
    table = _check_parts(node)
    known = {name.casefold(): name for name in columns}
    mentioned = [_find_column(names, table, known) for names in _column_names(node, known)]
    outputs = tuple(_read_output(item, table, known) for item in node["select_list"])
    if not any(output.aggregate for output in outputs):
        raise refuse("neither COUNT nor SUM nor AVG, so it lists rows")
    conditions = find_conjunction(text)
    if conditions is not None:
        folded = {name.casefold(): wanted for name, wanted in conditions.items()}
        same = len(folded) == len(conditions) and folded.keys() <= known.keys()
        conditions = {known[name]: wanted for name, wanted in folded.items()} if same else None
    return Statement(text, table, outputs, tuple(dict.fromkeys(mentioned)), conditions)


def _unparsed(tree: dict[str, Any], text: str) -> SpecError:
    if tree.get("error_type") == "not implemented":
        word = next(iter(text.split()), "").upper()
        return refuse(
            word if word.isalpha() and word not in ("SELECT", "FROM", "WITH") else "a statement other than SELECT"
        )
    return SpecError("The query cannot be read: it is no SQL that DuckDB parses.", code="spec.query", hint=HINT)


def _check_parts(node: dict[str, Any]) -> str:
    """Refuse every part of a query that is not on the list, and return the name of its table."""
    if node["type"] != "SELECT_NODE":
        raise refuse(PARTS.get(node["type"], "more than one SELECT"))
    for modifier in node.get("modifiers") or ():
        raise refuse(PARTS.get(modifier["type"], "a modifier"))
    if (node.get("cte_map") or {}).get("map"):
        raise refuse("WITH")
    for part, name in (("having", "HAVING"), ("qualify", "QUALIFY"), ("sample", "SAMPLE")):
        if node.get(part):
            raise refuse(name)
    source = node["from_table"]
    names = [source.get(part) for part in ("catalog_name", "schema_name") if source.get(part)]
    path = (source.get("qualified_name") or {}).get("path", [])
    if set(str(source.get("table_name", ""))) & set("/.\\"):
        raise refuse("a file in place of a table")
    if source["type"] != "BASE_TABLE" or names or len(path) > 1:
        raise refuse(PARTS.get(source["type"], "a table in another place"))
    if source.get("sample") or source.get("at_clause"):
        raise refuse("SAMPLE")
    if len(node.get("group_sets") or [[]]) > 1:
        raise refuse("GROUPING SETS")
    for part in ("where_clause", "group_expressions", "select_list"):
        for expression in _expressions(node.get(part)):
            _check_expression(expression)
    for part in ("where_clause", "group_expressions"):
        if any(_aggregate(expression) for expression in _expressions(node.get(part))):
            raise refuse("an aggregate in WHERE or GROUP BY")
    return str(source["table_name"])


def _expressions(part: Any) -> Iterator[dict[str, Any]]:
    """Yield all expressions of a part of a parse tree."""
    if isinstance(part, dict):
        if "class" in part:
            yield part
        for inner in part.values():
            yield from _expressions(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _expressions(inner)


def _aggregate(expression: dict[str, Any]) -> str:
    return AGGREGATES.get(str(expression.get("function_name", "")).lower(), "")


def _check_expression(expression: dict[str, Any]) -> None:
    kind = expression["class"]
    if kind not in CLASSES:
        raise refuse(PARTS.get(kind, f"the expression {kind}"))
    if kind == "OPERATOR" and expression["type"] not in OPERATORS:
        raise refuse(f"the operator {expression['type']}")
    if kind == "TYPE" and (len(_path(expression)) != 1 or _path(expression)[0] not in TYPES or expression["children"]):
        raise refuse(f"the type {str(expression['type_name']).upper()}")
    if kind != "FUNCTION":
        return
    name = str(expression["function_name"]).lower()
    if name not in FUNCTIONS and name not in AGGREGATES:
        raise refuse(name.upper() if name.isidentifier() else f"the operator {name}")
    if expression.get("schema") or expression.get("catalog") or len(_path(expression)) > 1:
        raise refuse("a function in another place")
    if expression.get("distinct") or expression.get("filter"):
        raise refuse("DISTINCT" if expression.get("distinct") else "FILTER")
    if (expression.get("order_bys") or {}).get("orders"):
        raise refuse("ORDER BY")


def _path(expression: dict[str, Any]) -> list[str]:
    """Return the parts of a name, as far as they are written."""
    return [str(part).lower() for part in (expression.get("qualified_name") or {}).get("path", [])]


def _column_names(node: dict[str, Any], known: dict[str, str]) -> Iterator[list[str]]:
    """Yield the columns that are mentioned. GROUP BY may also name a column of the answer."""
    aliases = {str(item["alias"]).casefold() for item in node["select_list"] if item.get("alias")} - known.keys()
    for part in ("where_clause", "group_expressions", "select_list"):
        for expression in _expressions(node.get(part)):
            if expression["class"] == "COLUMN_REF":
                names = expression["column_names"]
                if part != "group_expressions" or len(names) > 1 or names[0].casefold() not in aliases:
                    yield names


def _find_column(names: Sequence[str], table: str, known: dict[str, str]) -> str:
    """Return the column that a name in a query means, with or without its table."""
    name = names[-1]
    if len(names) > 2 or (len(names) == 2 and names[0].casefold() != table.casefold()):
        raise refuse("a column of another table")
    if name.casefold() not in known:
        raise SchemaError(
            f"The release has no column {name!r}.",
            code="schema.unknown-column",
            hint=suggest_name(name, list(known.values())),
        )
    return known[name.casefold()]


def _read_output(item: dict[str, Any], table: str, known: dict[str, str]) -> Output:
    aggregate, alias = _aggregate(item), str(item.get("alias") or "")
    if aggregate:
        rows = item["function_name"].lower() == "count_star" or (
            item["function_name"].lower() == "count" and not any(e["class"] == "COLUMN_REF" for e in _expressions(item))
        )
        return Output(alias or ("count" if rows else ""), aggregate, counts_rows=rows)
    if any(_aggregate(expression) for expression in _expressions(item)):
        raise refuse("COUNT, SUM or AVG inside an expression")
    column = _find_column(item["column_names"], table, known) if item["class"] == "COLUMN_REF" else None
    return Output(alias, column=column)
