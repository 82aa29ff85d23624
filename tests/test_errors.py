"""The tree of errors: codes, hints, exit codes, and crossing borders between processes."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

import voile
from voile import errors
from voile.errors import (
    BrokenPromise,
    DataError,
    EngineError,
    InconsistentKnowledge,
    PolicyError,
    SchemaError,
    SpecError,
    Unsatisfiable,
    VoileError,
    raise_together,
)

ALL = (
    VoileError,
    SpecError,
    SchemaError,
    PolicyError,
    DataError,
    InconsistentKnowledge,
    Unsatisfiable,
    BrokenPromise,
    EngineError,
)
SOURCES = sorted(Path(voile.__file__).parent.rglob("*.py"))


def test_the_tree_is_the_one_in_the_docstring() -> None:
    drawn = re.findall(r"^ {4,}([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE)
    assert set(drawn) == {kind.__name__ for kind in ALL}
    for kind in ALL[1:]:
        assert issubclass(kind, VoileError)
    assert issubclass(SchemaError, SpecError)
    assert issubclass(PolicyError, SpecError)
    defined = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert defined == set(drawn)


@pytest.mark.parametrize("kind", ALL)
def test_message_code_and_hint(kind: type[VoileError]) -> None:
    error = kind("It is so.", code="a.b", hint="Do this.")
    assert (error.message, error.code, error.hint, str(error)) == ("It is so.", "a.b", "Do this.", "It is so. Do this.")
    assert str(kind("It is so.", code="a.b")) == "It is so."
    assert error.as_json()["code"] == "a.b"


@pytest.mark.parametrize("kind", ALL)
def test_errors_can_be_pickled(kind: type[VoileError]) -> None:
    error = kind("It is so.", code="a.b", hint="Do this.")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (str(again), again.code, again.hint) == (str(error), "a.b", "Do this.")
    if isinstance(again, SpecError):
        assert again.problems == (again,)


def test_what_else_an_error_carries() -> None:
    error = pickle.loads(pickle.dumps(Unsatisfiable("No.", code="u.k", best="k = 4.")))
    assert error.best == "k = 4."
    assert error.as_json()["best"] == "k = 4."


def test_problems_together() -> None:
    one, two = SchemaError("A.", code="s.a", hint="Fix a."), SchemaError("B.", code="s.b")
    raise_together([])
    with pytest.raises(SchemaError) as alone:
        raise_together([one])
    assert alone.value is one
    with pytest.raises(SchemaError) as both:
        raise_together([one, two])
    assert str(both.value) == "2 problems: (1) A. Fix a. (2) B."
    assert both.value.problems == (one, two)
    assert both.value.code == "s.a"
    assert [problem["code"] for problem in both.value.as_json()["problems"]] == ["s.a", "s.b"]
    again = pickle.loads(pickle.dumps(both.value))
    assert [problem.code for problem in again.problems] == ["s.a", "s.b"]
    with pytest.raises(SpecError) as mixed:
        raise_together([one, PolicyError("C.", code="p.c")])
    assert type(mixed.value) is SpecError


def raised() -> list[tuple[str, ast.Call]]:
    """Every place of the source where an error of ours is made."""
    names = {kind.__name__ for kind in ALL}
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                found.append((f"{path.name}:{node.lineno}", node))
    return found


def test_every_error_has_a_code() -> None:
    assert len(raised()) > 60
    for where, call in raised():
        codes = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
        assert codes, where
        if isinstance(codes[0], ast.Constant):
            assert re.fullmatch(r"[a-z]+\.[a-z0-9-]+", str(codes[0].value)), where


def test_every_message_is_a_sentence() -> None:
    for where, call in raised():
        if not call.args:
            continue
        text = call.args[0]
        parts = text.values if isinstance(text, ast.JoinedStr) else [text]
        if isinstance(parts[-1], ast.Constant):
            assert str(parts[-1].value).endswith("."), where


@pytest.mark.parametrize("letters", ["x", "a:", "a@", "token", ":/", "https://", "ann:s3cret@"])
def test_credentials_in_a_message_of_a_million_letters_are_hidden_at_once(letters: str) -> None:
    """Every letter is read a few times: a search that began anew at each of them would not end today."""
    message = errors.hide_credentials(letters * (1_000_000 // len(letters)))
    assert "s3cret" not in message
