"""The registry of the four open sets. Defining a class with a `name` registers it; dropping in a file is enough.

A model says what is promised, a method how it is published, an attack how it is broken, a measure what is lost. Each is
a frozen dataclass whose fields are its knobs. A knob states its own limits, so all messages about knobs read alike.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import importlib.util
import pkgutil
import re
import sys
import typing
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from voile.errors import PolicyError, SpecError, raise_together
from voile.plugins.parameters import Limits, coerce, parse_short_form, type_complaint

FAMILIES = ("models", "methods", "attacks", "measures")
_registry: dict[str, dict[str, type[Plugin]]] = {family: {} for family in FAMILIES}
_loaded: set[str] = set()

_DIGEST = re.compile("sha256:[0-9a-f]{64}")


def knob(
    default: Any = dataclasses.MISSING,
    *,
    low: float | None = None,
    above: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """Declare a parameter of a plug-in: a dataclass field with limits."""
    limits = Limits(low, above, high, tuple(choices))
    return dataclasses.field(default=default, metadata={"limits": limits})


def learned_field(default: Any = None) -> Any:
    """Declare a field that is filled from the table. It is not a knob: no user gives it, and no certificate states it
    among the parameters."""
    return dataclasses.field(default=default, repr=False, compare=False, kw_only=True, metadata={"learned": True})


@dataclasses.dataclass(frozen=True)
class Plugin:
    """The base class of the four open sets."""

    family: ClassVar[str] = ""
    name: ClassVar[str] = ""
    catch_all: ClassVar[str] = ""  # the knob, a mapping, that takes parameters of any other name, e.g. column names

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
        hints = _field_types(type(self))  # type: ignore[arg-type]  # a class is hashable
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
        """Return the knobs as plain values, which JSON and `build_plugin` accept."""
        return {field.name: as_plain_value(getattr(self, field.name)) for field in knob_fields(type(self))}

    @classmethod
    def from_parameter(cls, value: str | Mapping[str, Any]) -> Plugin:
        """Build a plug-in that is a knob of another one, from a mapping or from its short form, in which semicolons
        stand for the commas that the outer form already uses."""
        if isinstance(value, str):
            return build_plugin(cls.family, *parse_short_form(value.replace(";", ",")))
        return build_plugin(cls.family, str(value["name"]), {key: value[key] for key in value if key != "name"})


def knob_fields(cls: type[Plugin]) -> list[dataclasses.Field[Any]]:
    """List the fields that a user may give."""
    return [field for field in dataclasses.fields(cls) if not field.metadata.get("learned")]


def as_plain_value(value: Any) -> Any:
    """Return a knob in a form that JSON can hold."""
    if isinstance(value, Plugin):
        return {"name": value.name, **value.parameters()}
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "digest"):
        return value.digest  # a large object is named by its digest, not written out
    if isinstance(value, (tuple, list)):
        return [as_plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): as_plain_value(item) for key, item in value.items()}
    return value


def free_texts(plugin: Plugin) -> list[str]:
    """List the texts among the knobs that could be anything: no choices, no digests, no names of plug-ins."""
    texts: list[str] = []
    for field in knob_fields(type(plugin)):
        value, limits = getattr(plugin, field.name), field.metadata.get("limits")
        if isinstance(value, Plugin):
            texts += free_texts(value)
        elif not (limits is not None and limits.choices):
            texts += _texts_within(as_plain_value(value))
    return [text for text in texts if not _DIGEST.fullmatch(text)]


def _texts_within(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for key, item in value.items() for text in (str(key), *_texts_within(item))]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts_within(item)]
    return [value] if isinstance(value, str) else []


def registered_classes(family: str) -> dict[str, type[Plugin]]:
    """Return all classes of a family by name, after importing every file of its folder."""
    if family not in _loaded:
        _loaded.add(family)
        package = importlib.import_module(f"voile.{family}")
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"voile.{family}.{module.name}")
    return dict(sorted(_registry[family].items()))


AnyPlugin = TypeVar("AnyPlugin", bound=Plugin)


def find_class(family: str, name: str) -> type[Plugin]:
    """Return the class of that name, or raise an error that proposes the nearest name. The file that bears the name is
    looked into first: importing all of them takes long."""
    package = importlib.import_module(f"voile.{family}")
    home = name.replace("-", "_")
    if home in {module.name for module in pkgutil.iter_modules(package.__path__)}:
        importlib.import_module(f"voile.{family}.{home}")
        if name in _registry[family]:
            return _registry[family][name]
    known = registered_classes(family)
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Known: " + ", ".join(known) + "."
    raise PolicyError(f"There is no {family[:-1]} named {name!r}.", code=f"policy.unknown-{family[:-1]}", hint=hint)


def build_plugin(family: str, name: str, parameters: Mapping[str, Any]) -> Plugin:
    """Build an object from its name and its knobs, which may be text from a command line.

    >>> build_plugin("models", "k-anonymity", {"k": "5"})
    KAnonymity(k=5)
    """
    cls = find_class(family, name)
    fields = {field.name: field for field in knob_fields(cls)}
    hints = _field_types(cls)  # type: ignore[arg-type]  # a class is hashable
    problems: list[SpecError] = []
    values: dict[str, Any] = {}
    if cls.catch_all:
        parameters = _fill_catch_all(cls, parameters, fields)
    for key, value in parameters.items():
        if key not in fields:
            near = difflib.get_close_matches(key, fields, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else "It has: " + (", ".join(fields) or "no parameters") + "."
            problems.append(PolicyError(f"{name} has no parameter {key!r}.", code="policy.parameter", hint=hint))
            continue
        try:
            values[key] = coerce(hints[key], value)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            what = f"{name}: {key} = {value!r} is not of type {fields[key].type}."
            problems.append(PolicyError(what, code="policy.parameter"))
    for key, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and key not in parameters:
            problems.append(PolicyError(f"{name} needs the parameter {key!r}.", code="policy.parameter"))
    raise_together(problems)
    return cls(**values)


@functools.cache
def _field_types(cls: type[Plugin]) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _fill_catch_all(cls: type[Plugin], parameters: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Put parameters that are not knobs into the catch-all knob: `multi-diversity:salary=3` means the l of salary."""
    known = {key: value for key, value in parameters.items() if key in fields}
    others = {key: value for key, value in parameters.items() if key not in fields}
    if others and cls.catch_all not in known:
        known[cls.catch_all] = others
        return known
    return {**known, **others}


def load_plugin(source: str) -> None:
    """Import a third party's module, given its dotted name or its path; its classes register themselves."""
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
            hint="Name a module, or the path of a .py file.",
        ) from None


def _import_file(path: Path) -> None:
    """Import a file as a module under a name that shadows no other module. Importing it again replaces the first."""
    if not path.is_file():
        raise ImportError("there is no such file")
    name = f"voile_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def narrow_type(cls: type[AnyPlugin], plugin: Plugin) -> AnyPlugin:
    """Return what `build_plugin` returned, as an object of one family, or raise PolicyError."""
    if isinstance(plugin, cls):
        return plugin
    raise PolicyError(f"{plugin.name!r} is not one of the {cls.family}.", code="policy.family")
