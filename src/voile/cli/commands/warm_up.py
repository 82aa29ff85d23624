"""`voile warm-up`: compile the kernels beforehand, e.g. while an image is built."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from voile.cli.flags import Json
from voile.cli.terminal import print_json


def warm_up(
    cache: Annotated[
        Path | None,
        typer.Option(help="The folder for the machine code; set NUMBA_CACHE_DIR to it when voile runs later."),
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Compile what this method needs; may be repeated. By default all methods.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile the kernels beforehand, by publishing a small table with every method; say where they are kept."""
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        os.environ["NUMBA_CACHE_DIR"] = str(cache.resolve())  # read when the compiler is imported
    from voile.kernels.compilation import compile_at_once, list_cache_folders
    from voile.plugins.registry import find_class, registered_classes

    names = method or list(registered_classes("methods"))
    for name in names:
        find_class("methods", name)
    _check_folders()
    with compile_at_once():
        for name in names:
            _try_method(name)
    kernels, folders = list_cache_folders()
    if as_json:
        print_json({"kernels": kernels, "folders": sorted(folders)})
        return
    typer.echo(f"{kernels} kernels are compiled, and kept in:")
    for folder in sorted(folders):
        typer.echo(f"  {folder}")


def _check_folders() -> None:
    """Raise unless kernels can be kept, in the folder that is named if one is: compiling them takes minutes."""
    from voile.errors import EngineError
    from voile.kernels.compilation import find_cache_folder

    named, folder = os.environ.get("NUMBA_CACHE_DIR"), find_cache_folder()
    if named and (folder is None or not folder.resolve().is_relative_to(Path(named).resolve())):
        raise EngineError(
            f"Compiled kernels cannot be kept in {Path(named).name!r}.",
            code="engine.cache",
            hint="Name a folder that you may write to (--cache).",
        )
    if folder is None:
        raise EngineError(
            "There is no folder in which compiled kernels can be kept.",
            code="engine.cache",
            hint="Name one that you may write to (--cache).",
        )
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        raise EngineError(
            "There is no folder for temporary files.", code="engine.cache", hint="Set TMPDIR to one."
        ) from None


def _try_method(name: str) -> None:
    """Publish, verify, audit and measure a small table."""
    from voile.errors import VoileError
    from voile.extend import Method
    from voile.flow.audit.audit import audit
    from voile.flow.measure.measure import measure
    from voile.flow.publish.publish import publish
    from voile.flow.read.read import read
    from voile.flow.verify.verify import verify
    from voile.plugins.registry import build_plugin, narrow_type
    from voile.testing.sample_tables import sample, sample_policy

    # a method that needs more than a table, or has no policy that fits, is not tried
    with contextlib.suppress(VoileError, AssertionError), tempfile.TemporaryDirectory() as folder:
        method = narrow_type(Method, build_plugin("methods", name, {}))
        data = read(*sample(300, 1))
        release = publish(data, sample_policy(method, data), method)
        for form in ("parquet", "csv"):
            verify(release.save(Path(folder) / form, format=form))
        audit(release, data)
        measure(data, release)
