"""Messages speak the language of their surface: flags at the command line, Python in Python, labels on the page."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from calling import Voile

import voile as vl
from voile.cli import app
from voile.cli.flag_wording import write_flag
from voile.errors import (
    Mention,
    SpecError,
    VoileError,
    option,
    parameter,
    raise_together,
    recipe,
    render,
    speaking,
    write_python,
)
from voile.io import toml_writing
from voile.plugins.registry import knob_fields, registered_classes
from voile.web.form_labels import CHOICES, LABELS, write_label
from voile.web.tasks import TASKS
from voile.web.worker import JobProgress

ROOT = Path(vl.__file__).parent
SOURCES = [path for path in sorted(ROOT.rglob("*.py")) if "papers" not in path.parts]
FLAG = re.compile(r"(?<![\w-])--[a-z]")
PYTHON = re.compile(r"\b[a-z_]+=['\"\[{(]|\b[a-z_]+=(True|False|None)\b|\bvl\.\w|\b[A-Z]\w+\([^)]")
PAGES = "".join(path.read_text() for path in (ROOT / "web" / "pages").glob("*.html"))


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The literal texts of a file's errors, and of what is called a hint, with their lines."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call | ast.Assign):
            continue
        spoken: list[ast.expr] = []
        if isinstance(node, ast.Call) and any(keyword.arg == "code" for keyword in node.keywords):
            spoken = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "code")]
        elif isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "hint" for target in node.targets):
            spoken = [node.value]
        for part in (inner for text in spoken for inner in _literals(text)):
            yield node.lineno, part


def _literals(text: ast.expr) -> Iterator[str]:
    """The constant parts of an expression, except inside calls such as option(...)."""
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        yield text.value
    elif isinstance(text, ast.JoinedStr):
        yield from (part.value for part in text.values if isinstance(part, ast.Constant))
    elif isinstance(text, ast.IfExp | ast.BinOp):
        for part in ast.iter_child_nodes(text):
            if isinstance(part, ast.expr):
                yield from _literals(part)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_message_in_the_source_is_written_for_one_surface(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for line, text in messages(path):
        assert room == "cli" or not FLAG.search(text), f"line {line} names a flag: use option()"
        assert room == "mining" or not PYTHON.search(text), f"line {line} writes Python: use option() or parameter()"


def test_the_scan_sees_messages(tmp_path: Path) -> None:
    wrong = 'raise DataError("No.", code="a.b", hint=f"Use --method {x}.")\nhint = "Set missing=\'drop\'."\n'
    (tmp_path / "wrong.py").write_text(wrong)
    texts = [text for _, text in messages(tmp_path / "wrong.py")]
    assert [text for text in texts if FLAG.search(text)] == ["Use --method "]
    assert [text for text in texts if PYTHON.search(text)] == ["Set missing='drop'."]
    assert sum(len(list(messages(path))) for path in SOURCES) > 300


def mentions(function: str) -> list[tuple[str, Any]]:
    """The literal arguments of every call of `option`, `parameter` or `recipe` in the source."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function and path.name != "errors.py":
                literal = [part.value if isinstance(part, ast.Constant) else None for part in node.args]
                found.append((literal[0], literal[1] if len(literal) > 1 else None))
    assert found
    return found


def test_mentions_exist_on_their_surfaces() -> None:
    group: Any = typer.main.get_command(app)
    commands = group.commands.values()
    flags = {flag for command in commands for shown in command.params for flag in shown.opts}
    for name, value in mentions("option"):
        assert name is None or write_flag(Mention("option", name)) in flags
        if name in ("method", "model") and value is not None:
            assert value in registered_classes(f"{name}s")
            assert hasattr(vl, write_python(Mention("option", name, value)).removeprefix("vl.").partition("(")[0])
    knobs = {
        knob.name
        for family in ("models", "methods")
        for cls in registered_classes(family).values()
        for knob in knob_fields(cls)
    }
    assert all(name in knobs or name is None for name, _ in mentions("parameter"))
    assert all(hasattr(vl, name) for name, _ in mentions("recipe"))


def python_parameters() -> set[str]:
    """The parameters of all public functions, of classes, and of their methods."""
    found: set[str] = set()
    for thing in (getattr(vl, name) for name in dir(vl)):
        methods = [method for name, method in inspect.getmembers(thing) if inspect.isclass(thing) and name[0] != "_"]
        for function in (thing, *methods):
            with contextlib.suppress(TypeError, ValueError):
                found.update(inspect.signature(function).parameters)
    return found


def test_python_knows_the_options_that_messages_name() -> None:
    known = python_parameters() | {"port", "out"}  # of the command line alone
    for name, value in mentions("option"):
        if name is not None and not (name in ("method", "model") and value is not None):
            assert write_python(Mention("option", name)).partition("=")[0] in known, name
    assert write_python(Mention("option", "key_file", "key.hex")) == "key=vl.Key.read('key.hex')"


def test_labels_are_those_of_the_forms() -> None:
    from voile.web.page_rendering import ROLES

    for name, label in LABELS.items():
        if name in ("quasi", "sensitive", "identifier", "other"):
            assert ROLES[name] == label
        else:
            assert f"labels.{name}" in PAGES, name
    assert all(f"choices.{name}" in PAGES for name in CHOICES)


def test_one_hint_on_three_surfaces() -> None:
    hint = f"Use {option('method', 'full-domain', suppression=0.1)} or {parameter('noise', 'paper')}."
    hint += f" Or {option('missing', 'drop')}, {recipe('prefixes', 3, 1)}, {option('engine')}, {option('force', True)}."
    assert render(hint) == (
        "Use vl.FullDomain(suppression=0.1) or noise='paper'. "
        "Or missing='drop', vl.prefixes(3, 1), engine=..., force=True."
    )
    with speaking(write_flag):
        assert render(hint) == (
            "Use --method full-domain:suppression=0.1 or noise=paper. "
            "Or --missing drop, prefixes:3,1, --engine, --force."
        )
    with speaking(write_label):
        assert render(hint) == (
            "Use Method: full-domain with suppression: 0.1 or noise: paper. Or Rows with missing cells: leave them "
            "out, prefixes:3,1, engine: only at the command line or in Python, “replace an earlier release of that "
            "name”."
        )
    assert render(hint).startswith("Use vl."), "the surface is the caller's again"


def test_several_problems_keep_their_mentions() -> None:
    one, two = (SpecError("No.", code="a.b", hint=f"Add {option('quasi', [name])}.") for name in ("age", "zip"))
    with pytest.raises(VoileError) as both:
        raise_together([one, two])
    with speaking(write_flag):
        assert str(both.value) == "2 problems: (1) No. Add --quasi age. (2) No. Add --quasi zip."
    assert "quasi=['age']" in str(both.value)


# the same mistakes on all three surfaces: roles, the promise, the method, and what the file holds
ROLES = {"quasi": ["age", "city"], "sensitive": ["disease"]}
PEOPLE = "age,city,disease\n" + "".join(f"{20 + n % 9},Orléans,{'flu' if n % 2 else 'cold'}\n" for n in range(30))
MISTAKES: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "encoding": (PEOPLE.encode("latin-1").replace(b"\xe9", b"\xe9\xf0\xfd"), ROLES, "k-anonymity"),
    "missing": (PEOPLE.replace("flu", "").encode(), ROLES, "k-anonymity"),
    "no role": (PEOPLE.encode(), {"sensitive": ["disease"]}, "k-anonymity"),
    "nothing sensitive": (PEOPLE.encode(), {"quasi": ["age", "city"]}, "l-diversity"),
    "broken line": ((PEOPLE + "1,2,3,4,5\n").encode(), ROLES, "k-anonymity"),
    "tree": (PEOPLE.encode(), {**ROLES, "hierarchies": {"city": "prefixes:x"}}, "k-anonymity"),
}


KNOBS = {"k-anonymity": {"k": 2}, "l-diversity": {"l": 2}}


def ask_python(table: Path, schema: dict[str, Any], model: str) -> str:
    made = {"k-anonymity": vl.KAnonymity(k=2), "l-diversity": vl.LDiversity(l=2)}[model]
    try:
        vl.publish(vl.read(table, vl.Schema(**schema)), made)
    except VoileError as error:
        return str(error)
    return ""


def ask_command(voile: Voile, table: Path, schema: dict[str, Any], model: str) -> str:
    spec = {"schema": schema, "policy": [{"model": model, **KNOBS[model]}]}
    (voile.folder / "spec.toml").write_text(toml_writing.render_toml(spec))
    answer = voile("publish", table, "--spec", "spec.toml", "--out", "out")
    assert answer.code in (2, 3)
    return answer.err.removeprefix("voile: ").replace("\n  ", " ").strip()


def ask_page(table: Path, schema: dict[str, Any], model: str) -> str:
    spec = {"schema": schema, "policy": [{"model": model, **KNOBS[model]}]}
    with speaking(write_label):
        try:
            fault = TASKS["promise"]({"source": str(table), "spec": spec}, JobProgress(io.BytesIO(), 1))["fault"]
            return f"{fault['message']} {fault['hint']}"
        except VoileError as error:
            return str(error)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_in_the_language_of_the_surface(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content, schema, model = MISTAKES[mistake]
    table = tmp_path / "people.csv"
    table.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    python, page = ask_python(table, schema, model), ask_page(table, schema, model)
    command = ask_command(Voile(monkeypatch, capsys, tmp_path), table, schema, model)
    assert PYTHON.search(python)
    assert not FLAG.search(python + page)
    assert not PYTHON.search(command + page)
    assert FLAG.search(command) or mistake == "tree", "a recipe is no flag"
    assert len({python, command, page}) == 3 or mistake == "tree"
