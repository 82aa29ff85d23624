"""Random inputs for the command line, each drawn from a seed: tables, specs, hierarchies, priors, ledgers and flags.

An input is a folder of files and the arguments of one call. The cells of the honest table carry a canary, which no
output may show.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from fuzz.odd_tables import write_arrow, write_parquet, write_sqlite

CANARY = "zqxcell"
ROWS = 24
HEADER = ("name", "age", "zip", "city", "income", "visit", "disease")
ROLES = ("--identifier", "name", "--quasi", "age,zip,city", "--sensitive", "disease")
MODELS = (
    *("k-anonymity:k=2", "k-anonymity:k=3", "l-diversity:l=2", "l-diversity:l=2,form=entropy", "t-closeness:t=0.5"),
    *("r-robustness:r=2", "m-confidentiality:m=2", "alpha-k:alpha=1/2,k=2", "ck-safety:c=0.9,k=1", "m-invariance:m=2"),
)
METHODS = (
    *("mondrian", "cluster", "full-domain", "anatomy", "art", "mask", "injector", "decompose"),
    "perturbed-generalization",
)
TEXTS = (
    *(
        "",
        " ",
        "\t",
        "NA",
        "*",
        "[1, 2]",
        "{a|b}",
        "(missing)",
        "\\",
        "|",
        ";",
        "=1+1",
        "'",
        '"',
        '""',
        "\0",
        "\r",
        "\n",
    ),
    *("\r\n", ",", "\ufeff", "\u202e", "\u200b", "é", "\U0001f600", "a" * 300, "x" * 70_000, "true", "TRUE", "None"),
    *("0", "-0", "007", "+5", "1_0", "1e5", "1e400", "1e-400", "1e99999999", "-1e99999999", "nan", "inf", "0x10", "½"),
    *(
        "9" * 20,
        "9" * 400,
        "9" * 5000,
        "1/0",
        "1/3",
        "5%",
        "1,5",
        "2" + "0" * 18,
        str(2**63),
        str(-(2**63)),
        str(2**64),
    ),
    *("2020-13-45", "2024-02-30", "200000-01-01", "0000-00-00", "0001-01-01", "9999-12-31", "-0044-03-15"),
    *("2020-01-01T25:00:00", "2020-01-01 00:00:00+99:99", "12:61:00", "24:00:00", "../x", "/dev/null", "a/b", ".", "~"),
)
OBJECTS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 2**31, 2**62, 2**63, 2**64, 10**30, 10**400, -(10**30)),
    *(0.0, -0.0, 0.5, 1.0, 1e-320, 1e308, float("inf"), float("-inf"), float("nan")),
    *([], [[]], [[["a"]]], ["a", 1], {}, {"a": {"b": [1]}}, [None], ["age", "age"], [{}], {"": 1}),
)


@dataclass
class Input:
    """The files of one call and its arguments, in which {} stands for the folder."""

    kind: str
    arguments: list[str]
    files: dict[str, bytes] = field(default_factory=dict)

    def write(self, folder: Path) -> list[str]:
        """Write the files; return the arguments of the call."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return [argument.replace("{}", str(folder)) for argument in self.arguments]


def honest_rows(rng: random.Random) -> list[list[str]]:
    """The rows of a table whose every text is a canary."""
    return [
        [
            f"{CANARY}name{number}",
            str(20 + rng.randrange(40)),
            f"{rng.randrange(100):05d}",
            f"{CANARY}city{rng.randrange(4)}",
            f"{rng.randrange(9_000_000)}.5",
            f"20{rng.randrange(10, 25)}-0{rng.randrange(1, 10)}-1{rng.randrange(10)}",
            f"{CANARY}ill{rng.randrange(4)}",
        ]
        for number in range(ROWS)
    ]


def write_csv(rows: Sequence[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    return end.join(delimiter.join(row) for row in (HEADER, *rows)) + end


def honest_csv(rng: random.Random) -> bytes:
    return write_csv(honest_rows(rng)).encode()


def mutate_text(rng: random.Random, content: bytes, times: int = 0) -> bytes:
    """Cut, repeat, overwrite or insert some bytes, once or several times."""
    for _ in range(times or rng.choice([1, 1, 1, 2, 5])):
        start = rng.randrange(len(content) + 1)
        stop = min(len(content), start + rng.choice([0, 0, 1, 1, 2, 8, 40]))
        piece = rng.choice(TEXTS).encode() if rng.random() < 0.7 else bytes([rng.randrange(256)])
        replacement = rng.choice([piece, piece, b"", content[start:stop] * 2])
        content = content[:start] + replacement + content[stop:]
    return content


def publish(rng: random.Random, table: str, *options: str) -> list[str]:
    """The arguments of publish, sometimes with another engine, format, method or rule for missing cells."""
    more: list[str] = []
    if rng.random() < 0.25:
        more += ["--engine", "disk"]
    if rng.random() < 0.3:
        more += ["--missing", rng.choice(["drop", "value"])]
    if rng.random() < 0.15:
        more += ["--format", "csv"]
    if rng.random() < 0.3:
        more += ["--json"]
    return ["publish", f"{{}}/{table}", "--out", "{}/out", *options, *more]


def _draw_roles(rng: random.Random) -> tuple[str, ...]:
    if rng.random() < 0.6:
        return ROLES
    quasi = rng.sample(["age", "zip", "city", "income", "visit"], rng.choice([1, 2, 3]))
    return (
        "--identifier",
        "name",
        "--quasi",
        ",".join(quasi),
        "--sensitive",
        rng.choice(["disease", "income", "visit"]),
    )


def _draw_policy(rng: random.Random) -> list[str]:
    policy = ["--model", rng.choice(MODELS[:2]) if rng.random() < 0.6 else rng.choice(MODELS)]
    return policy if rng.random() < 0.7 else [*policy, "--method", rng.choice(METHODS)]


def draw_csv(rng: random.Random) -> Input:
    rows = honest_rows(rng)
    for _ in range(rng.choice([0, 0, 1, 1, 3, ROWS])):
        rows[rng.randrange(ROWS)][rng.randrange(1, len(HEADER))] = rng.choice(TEXTS)
    if rng.random() < 0.15:
        column, text = rng.randrange(1, len(HEADER)), rng.choice(TEXTS)
        for row in rows:
            row[column] = text
    content = write_csv(rows, rng.choice([",", ",", ";", "\t", "|"]), rng.choice(["\n", "\n", "\r\n", "\r"])).encode()
    if rng.random() < 0.7:
        content = mutate_text(rng, content)
    options = []
    if rng.random() < 0.15:
        encoding = rng.choice(["latin-1", "utf-16", "utf-16-le", "cp1252", "ascii", "utf-32", "shift_jis", "utf-7"])
        options = ["--encoding", encoding]
        content = content.decode("utf-8", "replace").encode(encoding, "replace")
    verbs = [publish(rng, "t.csv", *_draw_roles(rng), *_draw_policy(rng), *options)] * 4
    verbs += [["hierarchies", "{}/t.csv", "--out", "{}/trees", *options]]
    verbs += [["prior", "{}/t.csv", "--out", "{}/p.csv", "--quasi", "age,city", "--sensitive", "disease", *options]]
    return Input("csv", rng.choice(verbs), {"t.csv": content})


def draw_parquet(rng: random.Random) -> Input:
    content = write_parquet(rng, honest_rows(rng), HEADER)
    content = mutate_text(rng, content) if rng.random() < 0.4 else content
    return Input("parquet", publish(rng, "t.parquet", *_draw_roles(rng), *_draw_policy(rng)), {"t.parquet": content})


def draw_arrow(rng: random.Random) -> Input:
    content = write_arrow(rng, honest_rows(rng), HEADER)
    content = mutate_text(rng, content) if rng.random() < 0.5 else content
    name = rng.choice(["t.arrow", "t.feather", "t.ipc"])
    return Input("arrow", publish(rng, name, *_draw_roles(rng), *_draw_policy(rng)), {name: content})


def draw_database(rng: random.Random) -> Input:
    content = write_sqlite(rng, honest_rows(rng), HEADER)
    statement = rng.choice(["select * from t", "select * from t", "select name, age, disease from t", "drop table t"])
    roles = _draw_roles(rng)
    arguments = publish(rng, "t.db", *roles, *_draw_policy(rng), "--query", statement)
    arguments[1] = "sqlite:///{}/t.db"
    return Input("database", arguments, {"t.db": content})


HONEST_SPEC: dict[str, Any] = {
    "schema": {
        "identifier": ["name"],
        "quasi": ["age", "zip", "city"],
        "sensitive": ["disease"],
        "missing": "error",
        "hierarchies": {"zip": "prefixes:3,1", "age": "intervals:5,10"},
        "kinds": {"age": "numeric"},
        "domains": {"age": [*range(20, 60)]},
    },
    "policy": [{"model": "l-diversity", "l": 2}, {"model": "t-closeness", "t": 0.9}],
    "method": {"name": "mondrian", "recoding": "tight"},
    "release": {"format": "parquet"},
    "read": {"delimiter": ",", "encoding": "utf8", "null_values": ["?"]},
    "engine": {"engine": "auto", "memory": "4GiB"},
}


def put_odd_part(rng: random.Random, document: Any) -> None:
    """Replace some part of a document, at any depth, or add one."""
    holder, key = document, ""
    while isinstance(holder, (dict, list)) and holder:
        key = rng.choice([*holder] if isinstance(holder, dict) else [*range(len(holder))])
        if not isinstance(holder[key], (dict, list)) or not holder[key] or rng.random() < 0.2:
            break
        holder = holder[key]
    odd = rng.choice(TEXTS) if rng.random() < 0.5 else rng.choice(OBJECTS)
    if isinstance(holder, dict) and (key == "" or rng.random() < 0.15):
        holder[rng.choice(TEXTS)] = odd
    else:
        holder[key] = odd


def draw_spec(rng: random.Random) -> Input:
    spec = json.loads(json.dumps(HONEST_SPEC))
    for _ in range(rng.choice([1, 1, 2])):
        put_odd_part(rng, spec)
    if rng.random() < 0.2:
        spec["policy"] = [dict(zip(("model", "k", "l", "t", "r"), rng.sample([*TEXTS, *OBJECTS], 5), strict=True))]
    text = "\n".join(f"{_toml(key)} = {_toml(value)}" for key, value in spec.items())
    if rng.random() < 0.05:
        text = f"a = {'[' * 3000}{']' * 3000}"
    content = text.encode("utf-8", "replace")
    content = mutate_text(rng, content) if rng.random() < 0.3 else content
    files = {"t.csv": honest_csv(rng), "spec.toml": content}
    return Input("spec", publish(rng, "t.csv", "--spec", "{}/spec.toml"), files)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps("" if value is None else value)


def draw_hierarchy(rng: random.Random) -> Input:
    rows = honest_rows(rng)
    leaves = sorted({row[2] for row in rows})
    text = "".join(f"{leaf};{leaf[:3]};*\n" for leaf in leaves)
    if rng.random() < 0.3:
        text = text.replace(";", rng.choice([",", " ; ", ";;", '";"', "\t"]))
    content = mutate_text(rng, text.encode()) if rng.random() < 0.9 else text.encode()
    recipe = rng.choice(["prefixes", "intervals", "dates", "frequency", "auto", "tree"]) + ":" + rng.choice(TEXTS)
    files = {"t.csv": write_csv(rows).encode(), "trees/zip.csv": content}
    arguments = publish(rng, "t.csv", *ROLES, *_draw_policy(rng), "--hierarchies", "{}/trees")
    if rng.random() < 0.3:
        arguments = ["hierarchies", "{}/t.csv", "--out", "{}/made", "--recipe", f"{rng.choice(HEADER)}={recipe}"]
    return Input("hierarchy", arguments, files)


def draw_prior(rng: random.Random) -> Input:
    lines = [["columns", "signature", "value", "probability"]]
    lines += [["", "", f"{CANARY}ill{number}", "0.25"] for number in range(4)]
    lines += [["age", str(age), f"{CANARY}ill{number}", "0.25"] for age in range(20, 30) for number in range(4)]
    for _ in range(rng.choice([0, 1, 2])):
        lines[rng.randrange(len(lines))][rng.randrange(4)] = rng.choice(TEXTS)
    content = "\n".join(map(",".join, lines)).encode() + b"\n"
    content = mutate_text(rng, content) if rng.random() < 0.6 else content
    model = f"r-robustness:r={rng.choice(['2', '2', '1.5', *TEXTS])},prior={{}}/p.csv"
    files = {"t.csv": honest_csv(rng), "p.csv": content}
    return Input("prior", publish(rng, "t.csv", *ROLES, "--model", model), files)


def draw_ledger(rng: random.Random) -> Input:
    body: dict[str, Any] = {
        "format": 1,
        "salt": "00" * 32,
        "releases": [f"{rng.randrange(16**8):08x}" * 8],
        "signatures": [[f"{CANARY}ill0", f"{CANARY}ill1"], [f"{CANARY}ill2", f"{CANARY}ill3"]],
        "people": {f"{rng.randrange(16**8):08x}" * 8: rng.randrange(2) for _ in range(5)},
    }
    if rng.random() < 0.6:
        holder: Any = rng.choice([body, body, body["people"], body["signatures"]])
        key = rng.choice([*holder] if isinstance(holder, dict) else [*range(len(holder))])
        holder[key] = rng.choice(TEXTS) if rng.random() < 0.5 else rng.choice(OBJECTS)
    text = json.dumps(body) if rng.random() < 0.95 else "[" * 100_000
    content = text.encode() if rng.random() < 0.4 else mutate_text(rng, text.encode())
    files = {"t.csv": honest_csv(rng), "ledger.json": content}
    options = (*ROLES, "--model", "m-invariance:m=2", "--ledger", "{}/ledger.json")
    return Input("ledger", publish(rng, "t.csv", *options), files)


FLAGS = (
    *("--memory", "--engine", "--scratch", "--encoding", "--delimiter", "--null", "--kind", "--domain", "--missing"),
    *("--format", "--model", "--method", "--key-file", "--quasi", "--sensitive", "--identifier", "--other", "--weight"),
    *("--person", "--rows-per-person", "--rows-are", "--confirm", "--after", "--ledger", "--hierarchies", "--spec"),
    *("--out", "--query", "--plugin"),
)


def draw_flags(rng: random.Random) -> Input:
    arguments = publish(rng, "t.csv", *ROLES, *_draw_policy(rng))
    for _ in range(rng.choice([1, 1, 2])):
        text = rng.choice(TEXTS)
        prefix = rng.choice(
            ["", "", "age=", "k-anonymity:k=", "l-diversity:l=", "disk:memory=", "age=0..", "mondrian:"]
        )
        value = (prefix + text).replace("\0", rng.choice(["", "\0"])).replace("/dev/null", "{}/t.csv")
        arguments += [rng.choice(FLAGS), value]
    if rng.random() < 0.15:
        arguments[1] = rng.choice(["{}/" + rng.choice(TEXTS), rng.choice(TEXTS), "{}", "sqlite:///{}/t.csv", "x://y"])
    return Input("flags", arguments, {"t.csv": honest_csv(rng)})


def draw_folder(rng: random.Random) -> Input:
    """A release folder with odd bytes or parts in one of its files, and a command that reads it."""
    files = dict(honest_folder(rng.choice(["parquet", "csv"])))
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice([*files, "r/certificate.json", "r/dictionary.json"])
        document = _parse_or_none(files[name]) if name.endswith(".json") and rng.random() < 0.6 else None
        if isinstance(document, dict):
            put_odd_part(rng, document)
            files[name] = json.dumps(document).encode("utf-8", "replace")
        else:
            files[name] = mutate_text(rng, files[name])
    certificate = _parse_or_none(files["r/certificate.json"])
    if rng.random() < 0.7 and isinstance(certificate, dict) and isinstance(certificate.get("files"), dict):
        for name in certificate["files"]:
            content = files.get(f"r/{name}", b"")
            certificate["files"][name] = "sha256:" + hashlib.sha256(content).hexdigest()
        files["r/certificate.json"] = json.dumps(certificate).encode("utf-8", "replace")
    verb = rng.choice(["verify", "verify", "verify", "audit", "report"])
    arguments = [verb, "{}/r", *(["--out", "{}/report.html"] if verb == "report" else ["--json"])]
    return Input("folder", arguments, files)


def _parse_or_none(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


@functools.cache
def honest_folder(form: str) -> dict[str, bytes]:
    """The files of a release of the honest table."""
    import voile as vl

    rows = honest_rows(random.Random(0))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(HEADER, pl.String), orient="row").with_columns(
        pl.col("age").cast(pl.Int64)
    )
    schema = vl.Schema(identifier=["name"], quasi=["age", "city"], sensitive=["disease"])
    policy = vl.Policy(vl.KAnonymity(k=2), vl.LDiversity(l=2))
    with tempfile.TemporaryDirectory() as room:
        release = vl.publish(vl.read(frame.drop("zip", "income", "visit"), schema), policy, key=vl.Key(bytes(32)))
        folder = release.save(Path(room) / "r", format=form)
        return {f"r/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}


KINDS: dict[str, Callable[[random.Random], Input]] = {
    "csv": draw_csv,
    "parquet": draw_parquet,
    "arrow": draw_arrow,
    "database": draw_database,
    "spec": draw_spec,
    "hierarchy": draw_hierarchy,
    "prior": draw_prior,
    "ledger": draw_ledger,
    "flags": draw_flags,
    "folder": draw_folder,
}


def draw_input(seed: int, kinds: Sequence[str] = tuple(KINDS)) -> Input:
    """Draw the input of a seed."""
    rng = random.Random(seed)
    return KINDS[rng.choice(kinds)](rng)
