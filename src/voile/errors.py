"""Every error of voile, in one tree. Catch the root or a leaf, or look at the stable `code`.

    VoileError        .code (stable)  .hint (what to do)
      SpecError       the request is wrong                         exit 2
        SchemaError   unknown column, role twice, bad hierarchy
        PolicyError   parameter out of range, model and method do not fit
      DataError       the table does not fit the schema            exit 3
        InconsistentKnowledge  an adversary's statistics rule out what is there
      Unsatisfiable   no release can do this; .best says what can  exit 4
      BrokenPromise   verify or audit found a false claim          exit 5
      EngineError     missing extra, engine failure                exit 6

A message says what is wrong, where, and what to do. It names columns and counts, never a cell of the data, and no URL
in it shows a password (`hide_credentials`).

Messages speak the language of their surface. A hint mentions an option with `option("encoding", "latin-1")`; Python
reads `encoding='latin-1'`, the command line `--encoding latin-1`, the workbench the label of its form. Each surface
says how it writes a mention and runs under `speaking`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Mention:
    """An option, a parameter of a plug-in or a recipe of a hierarchy that a message names. `family` says which of them
    it is. Without a `value` the message means the option as such. Where the value is a plug-in, `knobs` are its
    parameters."""

    family: str
    name: str
    value: Any = None
    knobs: Mapping[str, Any] = field(default_factory=dict)


Surface = Callable[[Mention], str]
_MENTION = re.compile("\ue000(.*?)\ue001")  # characters for private use: no text of ours has them


def option(name: str, value: Any = None, **knobs: Any) -> str:
    """Mention an option of a verb in a message, e.g. `option("missing", "drop")` or `option("method", "mondrian")`."""
    return f"\ue000{json.dumps(['option', name, value, knobs])}\ue001"


def parameter(name: str, value: Any = None) -> str:
    """Mention a parameter of a model, a method or an attack in a message, e.g. `parameter("distance", "equal")`."""
    return f"\ue000{json.dumps(['parameter', name, value, {}])}\ue001"


def recipe(name: str, *numbers: float) -> str:
    """Mention a recipe of a hierarchy in a message, e.g. `recipe("prefixes", 5, 3, 1)`."""
    return f"\ue000{json.dumps(['recipe', name, numbers, {}])}\ue001"


CLASS_NAMES = {"alpha-k-anonymity": "AlphaK", "k-e-anonymity": "KE"}  # where the rule for names does not hold
PYTHON_NAMES = {"null": "null_values", "key_file": "key"}  # keywords of Python whose flag has another name
PLUGINS = {"model": "vl.", "method": "vl.", "attack": "vl.attacks.", "measure": "vl.measures."}


def write_python(mention: Mention) -> str:
    """Write a mention as Python code.

    >>> write_python(Mention("option", "encoding", "latin-1")), write_python(Mention("option", "method", "full-domain"))
    ("encoding='latin-1'", 'vl.FullDomain()')
    """
    if mention.family == "option" and mention.name in PLUGINS and mention.value is not None:
        by_rule = "".join(word[:1].upper() + word[1:] for word in mention.value.split("-"))
        class_name = CLASS_NAMES.get(mention.value, by_rule)
        knobs = ", ".join(f"{name}={value!r}" for name, value in mention.knobs.items())
        return f"{PLUGINS[mention.name]}{class_name}({knobs})"
    if mention.family == "recipe":
        return f"vl.{mention.name}({', '.join(map(str, mention.value))})"
    if mention.name == "key_file" and mention.value is not None:
        return f"key=vl.Key.read({mention.value!r})"
    name = PYTHON_NAMES.get(mention.name, mention.name) if mention.family == "option" else mention.name
    return f"{name}=" + ("..." if mention.value is None else repr(mention.value))


_surface: ContextVar[Surface] = ContextVar("surface", default=write_python)


@contextlib.contextmanager
def speaking(surface: Surface) -> Iterator[None]:
    """Write the mentions of every message as `surface` does, as long as this lasts."""
    before = _surface.set(surface)
    try:
        yield
    finally:
        _surface.reset(before)


def render(text: str) -> str:
    """Write a text with its mentions as the current surface does.

    >>> render(f"Give the encoding ({option('encoding', 'latin-1')}).")
    "Give the encoding (encoding='latin-1')."
    """
    return _MENTION.sub(lambda found: _surface.get()(Mention(*json.loads(found[1]))), text)


_URL = re.compile(r"(:/{1,2})([^\s'\"<>\ue000\ue001]+)")  # one slash is left of two where a URL was taken for a path
# what is left of a URL that was taken for a path, and of which only the last part is named: a word is read once, so
# that a message of a million letters is written as fast as others
_WORD = re.compile(r"[^\s'\"<>/]+")
_NAMED_SECRET = re.compile(r"((?:token|password|passwd|pwd|secret)\w{0,20}=)[^\s;&,)'\"]+", re.IGNORECASE)
_SECRET = re.compile(r"((?:token|password|passwd|pwd|secret)\w{0,20}=)[^;&,)]+", re.IGNORECASE)


def hide_credentials(text: str) -> str:
    """Leave out users, passwords and tokens of all URLs in a text: of what stands before the @, nothing is shown.

    >>> hide_credentials("Spark at 'sc://ann:s3cret@host:15002/;token=abc;user_id=ann' cannot be reached.")
    "Spark at 'sc://…@host:15002/;token=…;user_id=ann' cannot be reached."
    >>> hide_credentials("ann@example.org wrote to http://host/path")
    'ann@example.org wrote to http://host/path'
    >>> hide_credentials("The file 'ann:s3cret@host' does not exist.")
    "The file '…@host' does not exist."
    """
    text = _URL.sub(_hide_in_url, text) if ":/" in text else text
    text = _WORD.sub(_hide_in_word, text) if "@" in text else text
    return _NAMED_SECRET.sub(r"\1…", text)


def _hide_in_word(match: re.Match[str]) -> str:
    """Leave out `user:password` before the last @ of a word."""
    credentials, _, place = match[0].rpartition("@")
    user, _, password = credentials.partition(":")
    return f"…@{place}" if user and password else match[0]


def _hide_in_url(match: re.Match[str]) -> str:
    credentials, sign, place = match[2].rpartition("@")
    return match[1] + ("…@" if credentials else sign) + _SECRET.sub(r"\1…", place)


class VoileError(Exception):
    """The root of the tree."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        message, hint = hide_credentials(message), hide_credentials(hint)
        super().__init__(message)
        self.code = code
        self._message, self._hint = message, hint  # with their mentions, as they were written

    @property
    def message(self) -> str:
        """What is wrong, in the language of the current surface."""
        return render(self._message)

    @property
    def hint(self) -> str:
        """What to do about it, in the language of the current surface."""
        return render(self._hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an error, since it may cross process borders: everything but the message travels as state."""
        return _restore, (type(self), self._message, self.code), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        # an error without others lists itself as its only problem, which would never end
        return {key: value for key, value in self.__dict__.items() if key != "problems" or value != (self,)}

    def as_json(self) -> dict[str, Any]:
        """The error as plain values, in the language of the current surface."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class SpecError(VoileError):
    """The request is wrong; `problems` lists every fault, not only the first."""

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


class InconsistentKnowledge(DataError):  # noqa: N818 - a statement about the adversary
    """The statistics that an adversary is assumed to know give the published table probability 0."""


FIXED_BEFOREHAND = (
    "Claims that cover an adversary who knows the algorithm assume parameters that were fixed beforehand: choosing "
    "them by a comparison, or trying again after a refusal, looks at the values."
)
RECOGNISABLE = "It shows exact quasi-identifiers: everyone in it is recognisable."


class Unsatisfiable(VoileError):  # noqa: N818 - a statement about the request, not a failure of the program
    """No release can keep this promise on this table; `best` says what is within reach, `alternatives` are promises
    that are, the nearest first (each has a `policy` and a `reason`), and a note says what trying again means for the
    promise."""

    exit_code = 4

    def __init__(
        self, message: str, *, code: str, hint: str = "", best: str = "", alternatives: Sequence[Any] = ()
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.best, self.alternatives = best, tuple(alternatives)
        self.add_note(FIXED_BEFOREHAND)

    def as_json(self) -> dict[str, Any]:
        instead = {"alternatives": [item.as_json() for item in self.alternatives]} if self.alternatives else {}
        return {**super().as_json(), "best": self.best, **instead, "note": FIXED_BEFOREHAND}


class BrokenPromise(VoileError):  # noqa: N818 - the event
    """A published folder does not keep what its certificate claims."""

    exit_code = 5


class EngineError(VoileError):
    """An extra is not installed, or the engine that holds the rows failed."""

    exit_code = 6


def _restore(kind: type[VoileError], message: str, code: str) -> VoileError:
    return kind(message, code=code)


def raise_together(problems: Iterable[SpecError]) -> None:
    """Raise all problems of a request as one error; do nothing if there are none.

    >>> raise_together([])
    >>> raise_together([SchemaError("no column 'a'.", code="schema.unknown"), SchemaError("b.", code="x")])
    Traceback (most recent call last):
    ...
    voile.errors.SchemaError: 2 problems: (1) no column 'a'. (2) b.
    """
    listed = list(problems)
    if not listed:
        return
    if len(listed) == 1:
        raise listed[0]
    kinds = {type(problem) for problem in listed}
    kind = kinds.pop() if len(kinds) == 1 else SpecError
    texts = [f"({number}) {problem._message} {problem._hint}".strip() for number, problem in enumerate(listed, 1)]
    raise kind(f"{len(listed)} problems: {' '.join(texts)}", code=listed[0].code, problems=listed)
