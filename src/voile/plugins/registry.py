"""The four open sets. Defining a class with a `name` registers it; dropping in a file is enough.

Models say what is promised, methods how it is published, attacks how it is broken, measures what is lost. Each is a
frozen dataclass whose fields are its knobs; a knob states its own limits, so every message about one reads alike.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
import pkgutil
import sys
import typing
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from voile.errors import PolicyError, SpecError, raise_together
from voile.plugins.parameters import Limits, arms_of, short, type_complaint

FAMILIES = ("models", "methods", "attacks", "measures")
_registry: dict[str, dict[str, type[Plugin]]] = {family: {} for family in FAMILIES}
_loaded: set[str] = set()


def knob(
    default: Any = dataclasses.MISSING,
    *,
    low: float | None = None,
    above: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """A dataclass field with limits."""
    limits = Limits(low, above, high, tuple(choices))
    return dataclasses.field(default=default, metadata={"limits": limits})


def learned() -> Any:
    """A field that `informed` fills from the table: no knob, neither told in a certificate nor taken from a user."""
    return dataclasses.field(default=None, repr=False, compare=False, metadata={"learned": True})


@dataclasses.dataclass(frozen=True)
class Plugin:
    """The root of the open sets."""

    family: ClassVar[str] = ""
    name: ClassVar[str] = ""
    gathers: ClassVar[str] = ""  # the knob, a mapping, that takes parameters of any other name, e.g. of columns

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in cls.__dict__:
            return
        known = _registry[cls.family].get(cls.name)
        if known and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise SpecError(
                f"Two {cls.family} are named {cls.name!r}: {known.__module__} and {cls.__module__}.",
                code="spec.plugin-name",
                hint="Rename one of them.",
            )
        _registry[cls.family][cls.name] = cls

    def __post_init__(self) -> None:
        wrong = []
        hints = _types(type(self))
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            complaint = type_complaint(hints[field.name], value)
            limits = field.metadata.get("limits")
            complaint = complaint or (limits.complaint(value) if limits else "")
            if complaint:
                wrong.append(
                    PolicyError(f"{self.name}: {field.name} = {value!r} {complaint}.", code="policy.parameter")
                )
        raise_together(wrong)

    def parameters(self) -> dict[str, Any]:
        """The knobs as plain values, fit for JSON and for `build`."""
        return {field.name: plain(getattr(self, field.name)) for field in knobs_of(type(self))}


def knobs_of(cls: type[Plugin]) -> list[dataclasses.Field[Any]]:
    """The fields that a user may give."""
    return [field for field in dataclasses.fields(cls) if not field.metadata.get("learned")]


def plain(value: Any) -> Any:
    """A knob as JSON can hold it."""
    if isinstance(value, Plugin):
        return {"name": value.name, **value.parameters()}
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "digest"):
        return value.digest  # a large object is named, not written out
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def registered(family: str) -> dict[str, type[Plugin]]:
    """All classes of a family by name, after importing every file of its folder."""
    if family not in _loaded:
        _loaded.add(family)
        package = importlib.import_module(f"voile.{family}")
        for found in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"voile.{family}.{found.name}")
    return dict(sorted(_registry[family].items()))


AnyPlugin = TypeVar("AnyPlugin", bound=Plugin)


def find(family: str, name: str) -> type[Plugin]:
    """The class of that name, or an error that proposes the nearest one."""
    known = registered(family)
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Known: " + ", ".join(known) + "."
    raise PolicyError(f"There is no {family[:-1]} named {name!r}.", code=f"policy.unknown-{family[:-1]}", hint=hint)


def build(family: str, name: str, parameters: Mapping[str, Any]) -> Plugin:
    """An object from its name and its knobs, which may be text from a command line.

    >>> build("models", "k-anonymity", {"k": "5"})
    KAnonymity(k=5)
    """
    cls = find(family, name)
    fields = {field.name: field for field in knobs_of(cls)}
    hints = _types(cls)
    problems: list[SpecError] = []
    values: dict[str, Any] = {}
    if cls.gathers:
        parameters = _gathered(cls, parameters, fields)
    for key, raw in parameters.items():
        if key not in fields:
            near = difflib.get_close_matches(key, fields, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else "It has: " + (", ".join(fields) or "no parameters") + "."
            problems.append(PolicyError(f"{name} has no parameter {key!r}.", code="policy.parameter", hint=hint))
            continue
        try:
            values[key] = _coerced(hints[key], raw)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            wanted = str(fields[key].type)
            problems.append(PolicyError(f"{name}: {key} = {raw!r} is not of type {wanted}.", code="policy.parameter"))
    for key, field in fields.items():
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if needed and key not in parameters:
            problems.append(PolicyError(f"{name} needs the parameter {key!r}.", code="policy.parameter"))
    raise_together(problems)
    return cls(**values)


def _gathered(cls: type[Plugin], parameters: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that are no knobs, in the knob that gathers them: `multi-diversity:salary=3` means the l of salary."""
    known = {key: value for key, value in parameters.items() if key in fields}
    loose = {key: value for key, value in parameters.items() if key not in fields}
    if loose and cls.gathers not in known:
        known[cls.gathers] = loose
        return known
    return {**known, **loose}


def load_plugin(source: str) -> None:
    """Import a third party's module, by dotted name or by path; its classes register themselves."""
    path = Path(source)
    try:
        if path.suffix == ".py":
            _import_file(path)
        else:
            importlib.import_module(source)
    except SpecError:
        raise
    except Exception as error:  # a plug-in may fail in any way
        known = isinstance(error, (ImportError, SyntaxError))
        why = str(error) if known else f"it raises {type(error).__name__}"
        raise SpecError(
            f"The plugin {path.name!r} cannot be imported ({why}).",
            code="spec.plugin",
            hint="Give a module name or the path of a .py file.",
        ) from None


def _import_file(path: Path) -> None:
    """A file as a module, under a name that shadows no other module; the same file again replaces the first."""
    if not path.is_file():
        raise ImportError("there is no such file")
    name = f"voile_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _types(cls: type[Plugin]) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _coerced(hint: Any, raw: Any) -> Any:
    """The first reading of `raw` that one arm of the type admits; text is parsed, sequences become tuples."""
    arms = arms_of(hint)
    for arm in arms:
        origin = typing.get_origin(arm)
        if arm is type(None):
            if raw is None or (isinstance(raw, str) and raw.lower() == "none"):
                return None
        elif arm is bool:
            if isinstance(raw, bool):
                return raw
            if isinstance(raw, str) and raw.lower() in ("true", "false", "yes", "no"):
                return raw.lower() in ("true", "yes")
        elif arm is int and not isinstance(raw, bool):
            if isinstance(raw, int) or (isinstance(raw, str) and raw.strip().lstrip("+-").isdigit()):
                return int(raw)
        elif arm is float and not isinstance(raw, bool):
            try:
                return float(Fraction(raw)) if isinstance(raw, str) else float(raw)
            except (ValueError, TypeError):
                continue
        elif arm is str and isinstance(raw, str):
            return raw
        elif origin is tuple:
            items = raw.split("|") if isinstance(raw, str) else list(raw)
            inner = typing.get_args(arm)[0]
            return tuple(_coerced(inner, item) for item in items)
        elif isinstance(arm, type) and issubclass(arm, Plugin):
            if isinstance(raw, arm):
                return raw
            if isinstance(raw, str):
                return build(arm.family, *short(raw.replace(";", ",")))  # a plug-in within one: a comma is taken
            if isinstance(raw, Mapping):
                return build(arm.family, str(raw["name"]), {k: v for k, v in raw.items() if k != "name"})
        elif _is_mapping(origin) and isinstance(raw, (Mapping, str)):
            return _mapping(typing.get_args(arm), raw)
        elif isinstance(arm, type) and arm not in (int, float, bool, str) and isinstance(raw, arm):
            return raw
    raise ValueError


def _is_mapping(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _mapping(kinds: tuple[Any, ...], raw: Mapping[Any, Any] | str) -> dict[Any, Any]:
    """A mapping, or its text `a=4|b=2`."""
    if isinstance(raw, str):
        pairs = [item.rpartition("=") for item in raw.split("|") if item.strip()]
        if not all(name and sign for name, sign, _ in pairs):
            raise ValueError
        raw = {name.strip(): value.strip() for name, _, value in pairs}
    return {key: _coerced(kinds[1], value) if len(kinds) == 2 else value for key, value in raw.items()}


def typed(cls: type[AnyPlugin], made: Plugin) -> AnyPlugin:
    """Narrow what `build` returned."""
    if isinstance(made, cls):
        return made
    raise PolicyError(f"{made.name!r} is not one of the {cls.family}.", code="policy.family")
