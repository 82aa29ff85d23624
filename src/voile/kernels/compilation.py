"""Compile a kernel when it is first called, and interpret it while there is little to do.

Loading the compiler costs more than a small table does, and compiling costs seconds. A kernel that states how many
steps it takes at most is therefore run by Python until it has taken as many steps as compiling is worth, or as loading
is worth where an earlier process has compiled it. Which way it ran cannot be told from the result. A kernel that states
nothing is compiled when first called.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, overload

import numpy as np

ENOUGH = 100_000  # steps of Python after which a kernel is compiled
STEP = 1e-6  # seconds of Python that count as a step: calls take far fewer steps than they state at most
LOADING, IMPORTING = ENOUGH // 10, 5 * ENOUGH  # steps that loading machine code is worth, and the compiler before it
Steps = int | Callable[..., int]
_LOCK = threading.RLock()
_KERNELS: list[Kernel] = []
_COMPILING: list[Callable[[], float]] = []  # one that tells how long this process has compiled, once it has begun to
_interprets = True  # whether Python runs small calls
_keeps = True  # whether machine code could be kept in a folder so far


class Kernel:
    """A loop over arrays that is compiled when it is first worth it."""

    def __init__(self, function: Callable[..., Any], steps: Steps, enough: int, inline: bool) -> None:
        self._function, self._steps, self._enough, self._inline = function, steps, enough, inline
        self._steps_taken, self._is_looked_up = 0, False
        self._interpreted: Callable[..., Any] | None = None
        self._compiled: Callable[..., Any] | None = None
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__
        self.__module__, self.__wrapped__ = function.__module__, function
        _KERNELS.append(self)

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None and self._steps and _interprets:
            per_call = self._steps(*arguments) if callable(self._steps) else self._steps * _count_elements(arguments)
            if not self._is_worth_compiling(self._steps_taken + per_call):
                start = time.thread_time()
                try:
                    return self.interpret(*arguments)
                finally:
                    self._steps_taken += min(per_call, int((time.thread_time() - start) / STEP))
        return (self._compiled or self.compile())(*arguments)

    def _is_worth_compiling(self, steps: int) -> bool:
        """Whether so many steps cost more than compiling or, if an earlier process did that, than loading."""
        if not self._is_looked_up and steps > (LOADING if "numba" in sys.modules else IMPORTING):
            self._is_looked_up = True
            if _is_on_disk(self._function):
                self._enough = 0
        return steps > self._enough

    def __reduce__(self) -> str:
        return self.__qualname__

    def interpret(self, *arguments: Any) -> Any:
        """Return what the kernel returns, run by Python."""
        with np.errstate(all="ignore"):  # compiled integers wrap around without a word
            return _unbox(self.prepare_for_python()(*arguments))

    def prepare_for_python(self) -> Callable[..., Any]:
        """Return a function that calls other kernels as plain functions, as compiled code does."""
        if self._interpreted is None:
            self._interpreted = self._bind(lambda used: used.prepare_for_python())
        return self._interpreted

    def compile(self) -> Callable[..., Any]:
        """Return the compiled kernel; its machine code is kept in a folder if one can be written."""
        global _keeps
        with _LOCK:
            if self._compiled is None:
                njit = _import_compiler()
                function = self._bind(lambda used: used.compile())
                options: dict[str, Any] = {"nogil": True, "inline": "always" if self._inline else "never"}
                try:
                    self._compiled = njit(cache=True, **options)(function)
                except RuntimeError:  # there is no folder that the compiler may write to
                    self._compiled, _keeps = njit(**options)(function), False
            return self._compiled

    def _bind(self, prepare: Callable[[Any], Any]) -> Callable[..., Any]:
        """Return the function with the kernels that it uses replaced by what `prepare` makes of them."""
        function = self._function
        assert isinstance(function, types.FunctionType)
        names = dict(function.__globals__)
        for name in function.__code__.co_names:
            used = names.get(name)
            if isinstance(used, Kernel | BitInstruction) and used is not self:
                names[name] = prepare(used)
        twin = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        twin.__qualname__, twin.__module__, twin.__doc__ = function.__qualname__, function.__module__, function.__doc__
        return twin


def _import_compiler() -> Any:
    """Import the compiler, and note how long that takes and, from then on, how long it compiles."""
    if not _COMPILING:
        start = time.perf_counter()
        from numba.core import event

        timing = event.TimingListener()
        event.register("numba:compile", timing)
        imported = time.perf_counter() - start
        _COMPILING.append(lambda: imported + (timing.duration if timing.done else 0.0))
    from numba import njit

    return njit


def read_clock() -> float:
    """Return the seconds of a clock that stands still while kernels are compiled, which they are only once."""
    return time.perf_counter() - sum(seconds() for seconds in _COMPILING)


def _is_on_disk(function: Callable[..., Any]) -> bool:
    """Whether the compiler has kept machine code of a function."""
    try:
        return os.path.exists(_import_compiler()(cache=True)(function)._cache._cache_file._index_path)
    except (AttributeError, RuntimeError):  # another version of the compiler, or no folder that it may write to
        return False


@contextlib.contextmanager
def compile_at_once() -> Iterator[None]:
    """Compile every kernel when it is called, however little there is to do."""
    global _interprets
    _interprets = False
    try:
        yield
    finally:
        _interprets = True


def list_cache_folders() -> tuple[int, set[str]]:
    """Return how many kernels are compiled, and in which folders their machine code is kept."""
    compiled: list[Any] = [kernel._compiled for kernel in _KERNELS if kernel._compiled is not None]
    return len(compiled), {str(one.stats.cache_path) for one in compiled if one.stats.cache_path}


def can_keep_kernels() -> bool:
    """Whether the machine code of all kernels that were compiled so far is kept for the next process."""
    return _keeps


def find_cache_folder() -> Path | None:
    """Return the folder in which the compiler would keep a kernel; None if there is none. It compiles nothing."""
    try:
        return Path(_import_compiler()(cache=True)(_do_nothing).stats.cache_path or "")
    except RuntimeError:
        return None


def _do_nothing() -> None:
    """A function whose machine code would be kept beside that of the kernels."""


class BitInstruction:
    """A question about a 64-bit word that is one machine instruction, which numba has no name for."""

    def __init__(self, name: str, answer: Callable[[int], int]) -> None:
        self._name, self._answer, self._compiled = name, answer, None

    def __call__(self, word: Any) -> Any:
        return np.int64(self._answer(int(word)))

    def prepare_for_python(self) -> Callable[[Any], Any]:
        return self.__call__

    def compile(self) -> Any:
        with _LOCK:
            if self._compiled is None:
                self._compiled = _emit_instruction(self._name)
            return self._compiled


def _emit_instruction(name: str) -> Any:
    from llvmlite import ir
    from numba import types as numba_types
    from numba.extending import intrinsic

    more = () if name == "ctpop" else (ir.Constant(ir.IntType(1), 0),)

    @intrinsic
    def instruction(typing_context, word):
        signature = numba_types.int64(numba_types.uint64)
        return signature, lambda context, builder, _, arguments: getattr(builder, name)(arguments[0], *more)

    return instruction


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(
    *, steps: Steps = 0, enough: int = ENOUGH, inline: bool = False
) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Callable[..., Any] | None = None, /, *, steps: Steps = 0, enough: int = ENOUGH, inline: bool = False
) -> Any:
    """Make a kernel of a function.

    State `steps` only if Python gives exactly the compiled result, and if a call takes at most about so many steps of
    the innermost loop per element of its arrays, whatever they hold; or give a function of the arguments that bounds
    the steps. `enough` is how many steps compiling is worth. See docs/decisions/0039-lazy-kernels.md.
    """
    if function is not None:
        return Kernel(function, steps, enough, inline)
    return lambda function: Kernel(function, steps, enough, inline)


def _count_elements(arguments: tuple[Any, ...]) -> int:
    """Return how many elements arrays have, and add numbers: they may be lengths."""
    total = 1
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            total += argument.size
        elif isinstance(argument, int | np.integer):
            total += abs(int(argument))
        elif isinstance(argument, tuple):
            total += _count_elements(argument)
    return total


def _unbox(result: Any) -> Any:
    """Return Python's numbers instead of numpy's, as compiled code does."""
    if isinstance(result, np.generic):
        return result.item()
    if type(result) is tuple:
        return tuple(_unbox(part) for part in result)
    return result
