"""Which engine works on a table: the one that was asked for, the one where the table lives, or one chosen by size."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voile import engines
from voile.engines.base import Engine, Watch, parse_memory, registered_engines
from voile.engines.disk import Disk
from voile.engines.memory import InMemory
from voile.errors import SpecError
from voile.plugins.parameters import parse_short_form

AUTO = "auto"  # in memory if the table fits, else on disk
USABLE = 0.6  # of this machine's memory


def find_engines() -> dict[str, type[Engine]]:
    """Return all engines by name, after importing every file of this folder."""
    for module in pkgutil.iter_modules(engines.__path__):
        importlib.import_module(f"{engines.__name__}.{module.name}")
    return registered_engines()


def choose_engine(source: Any, options: Mapping[str, str], watch: Watch | None = None) -> Engine:
    """Return the engine for a table or a release folder. `options` are the name of the engine, which may carry knobs
    (`engine`, e.g. "disk" or "disk:memory=8GiB"), and further knobs by name (`memory`, `master`, ...). Without a name,
    knobs that only one engine has choose it; else the size of the file decides between memory and disk.
    """
    known = find_engines() if options else {}
    knobs = {key: text for key, text in options.items() if key != "engine"}
    name, more = parse_short_form(options.get("engine") or _engine_with(knobs, known))
    knobs = {**more, **knobs}
    if name != AUTO and name not in known:
        names = [AUTO, *known]
        raise SpecError(
            f"There is no engine {name!r}.",
            code="spec.engine",
            hint=f"Use {', '.join(names[:-1])} or {names[-1]}.",
        )
    allowed = known.get(name, Disk).knobs()
    unknown = [key for key in knobs if key not in allowed]
    if unknown:
        raise SpecError(
            f"The engine {name} takes no {' and no '.join(unknown)}.", code="spec.engine", hint="Leave it out."
        )
    if name != AUTO:
        return known[name](**knobs, watch=watch)
    disk = Disk(**knobs, watch=watch)
    limit = parse_memory(disk.memory) if "memory" in knobs else int(USABLE * _machine_memory())
    return disk if _estimate_size(source) > limit else InMemory(watch=watch)


def engine_of_table(table: Any) -> Engine:
    """Return the engine on which a table already lives; memory for files and for tables of this process."""
    if not isinstance(table, (str, Path)):
        for engine in find_engines().values():
            home = engine.of_table(table)
            if home is not None:
                return home
    return InMemory()


def _engine_with(knobs: Mapping[str, str], known: Mapping[str, type[Engine]]) -> str:
    """Return the only engine that takes these knobs, where the automatic choice does not take them."""
    if set(knobs) <= set(Disk.knobs()):
        return AUTO
    able = [name for name, engine in known.items() if set(knobs) <= set(engine.knobs())]
    return able[0] if len(able) == 1 else AUTO


def _machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _estimate_size(source: Any) -> int:
    """Return about how many bytes of memory a file or a release folder would take; 0 for anything else."""
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is None or not path.exists():
        return 0
    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    return sum(file.stat().st_size * (3 if file.suffix == ".csv" else 12) for file in files)
