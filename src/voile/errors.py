"""Every error of voile, in one tree. A caller may catch the root, a leaf, or look at the stable `code`.

    VoileError        .code (stable)  .hint (what to do)
      SpecError       the request is wrong                         exit 2
        SchemaError   unknown column, role twice, bad hierarchy
        PolicyError   parameter out of range, model and method do not fit
      DataError       the table does not fit the schema            exit 3
        InconsistentKnowledge  an adversary's statistics rule out what is there
      Unsatisfiable   no release can do this; .best says what can  exit 4
      BrokenPromise   verify or audit found a false claim          exit 5
      EngineError     missing extra, engine failure                exit 6

A message says what, where, and what to do. It names columns and counts, never a cell of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar


class VoileError(Exception):
    """The root of the tree."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors cross process borders: everything but the message travels as state."""
        return _revived, (type(self), self.message, self.code), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        # a lone error lists itself as its only problem: that would never end
        return {key: value for key, value in self.__dict__.items() if key != "problems" or value != (self,)}

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "hint": self.hint}


class SpecError(VoileError):
    """The request is wrong; `problems` lists every fault that was found, not only the first."""

    exit_code = 2

    def __init__(self, message: str, *, code: str, hint: str = "", problems: Sequence[VoileError] = ()) -> None:
        super().__init__(message, code=code, hint=hint)
        self.problems = tuple(problems) or (self,)

    def as_json(self) -> dict[str, Any]:
        several = {"problems": [problem.as_json() for problem in self.problems]} if len(self.problems) > 1 else {}
        return {**super().as_json(), **several}


class SchemaError(SpecError):
    """An unknown column, a role given twice, a hierarchy that does not fit."""


class PolicyError(SpecError):
    """A parameter out of range, or a model that the method cannot serve."""


class DataError(VoileError):
    """The table does not fit the schema, or a file cannot be read."""

    exit_code = 3


class InconsistentKnowledge(DataError):  # noqa: N818 - what was found
    """What an adversary is taken to know gives the published table probability 0."""


class Unsatisfiable(VoileError):  # noqa: N818 - a statement about the request, not a failure of the program
    """No release can keep this promise on this table; `best` says what can be reached."""

    exit_code = 4

    def __init__(self, message: str, *, code: str, hint: str = "", best: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.best = best

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "best": self.best}


class BrokenPromise(VoileError):  # noqa: N818 - the name of what happened
    """A published folder does not keep what its certificate claims."""

    exit_code = 5


class EngineError(VoileError):
    """A missing extra, or the engine under the rows failed."""

    exit_code = 6


def _revived(kind: type[VoileError], message: str, code: str) -> VoileError:
    return kind(message, code=code)


def raise_together(problems: Iterable[SpecError]) -> None:
    """Raise all problems of a request as one error; nothing happens when there are none.

    >>> raise_together([])
    >>> raise_together([SchemaError("no column 'a'.", code="schema.unknown"), SchemaError("b.", code="x")])
    Traceback (most recent call last):
    ...
    voile.errors.SchemaError: 2 problems: (1) no column 'a'. (2) b.
    """
    found = list(problems)
    if not found:
        return
    if len(found) == 1:
        raise found[0]
    kinds = {type(problem) for problem in found}
    kind = kinds.pop() if len(kinds) == 1 else SpecError
    text = " ".join(f"({number}) {problem}" for number, problem in enumerate(found, 1))
    raise kind(f"{len(found)} problems: {text}", code=found[0].code, problems=found)
