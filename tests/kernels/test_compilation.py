"""When and how kernels are compiled."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from voile.kernels import compilation, group_scans


def double(values):  # type: ignore[no-untyped-def]
    """Double numbers in place."""
    for i in range(values.size):
        values[i] *= 2
    return values.size


def double_twice(values):  # type: ignore[no-untyped-def]
    return helper(values) + helper(values)


helper = compilation.kernel(steps=1)(double)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> compilation.Kernel:
    monkeypatch.setattr(sys.modules[__name__], "helper", compilation.kernel(steps=1)(double))
    return compilation.kernel(steps=1)(double_twice)


def test_a_kernel_is_compiled_once_it_has_taken_enough_steps(
    fresh: compilation.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "_is_on_disk", lambda function: False)
    monkeypatch.setattr(compilation, "STEP", 1e-12)  # as if Python were slow, so that calls take all that they state
    values = np.ones(compilation.ENOUGH // 3)
    assert type(fresh(values)) is int
    assert fresh(values) == 2 * len(values)
    assert fresh._compiled is None
    assert fresh(values) == 2 * len(values)
    assert fresh._compiled is not None
    assert values[0] == 4**3
    assert fresh(np.ones(1)) == 2  # and stays compiled


def test_a_kernel_counts_the_steps_that_it_took_and_not_all_that_it_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "_is_on_disk", lambda function: False)
    kernel = compilation.kernel(steps=compilation.ENOUGH // 20)(double)
    for _ in range(3):
        assert kernel(np.ones(9)) == 9
    assert kernel._compiled is None
    assert 0 <= kernel._steps_taken < compilation.ENOUGH


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_a_kernel_that_an_earlier_process_compiled_is_loaded_sooner(
    fresh: compilation.Kernel, monkeypatch: pytest.MonkeyPatch, is_on_disk: bool
) -> None:
    monkeypatch.setattr(compilation, "_is_on_disk", lambda function: is_on_disk)
    helper.compile()  # the compiler is imported
    assert fresh(np.ones(9)) == 18
    assert fresh._compiled is None
    assert fresh(np.ones(compilation.LOADING + 1)) == 2 * compilation.LOADING + 2
    assert (fresh._compiled is not None) is is_on_disk


def test_what_is_on_disk_is_what_was_compiled(fresh: compilation.Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh.compile()(np.ones(3))
    assert compilation._is_on_disk(double_twice)
    assert not compilation._is_on_disk(test_what_is_on_disk_is_what_was_compiled)
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])
    assert not compilation._is_on_disk(double_twice)


def test_the_clock_stands_still_while_a_kernel_is_compiled() -> None:
    code = (
        "import time, numpy as np\n"
        "from voile.kernels import compilation, group_scans\n"
        "start, outside = compilation.read_clock(), time.perf_counter()\n"
        "with compilation.compile_at_once():\n"
        "    group_scans.count_people(np.zeros(9, np.int64), np.ones(9, np.int64), 1)\n"
        "inside, outside = compilation.read_clock() - start, time.perf_counter() - outside\n"
        "assert inside < outside / 2, (inside, outside)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_a_kernel_that_states_no_steps_is_compiled_at_once() -> None:
    kernel = compilation.kernel(double)
    assert kernel(np.ones(1)) == 1
    assert kernel._compiled is not None


def test_a_kernel_works_where_no_folder_can_be_written(
    fresh: compilation.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba.core import caching

    monkeypatch.setattr(compilation, "_keeps", True)
    assert compilation.find_cache_folder() is not None
    assert compilation.can_keep_kernels()
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    assert fresh.compile()(np.ones(3)) == 6
    assert not compilation.can_keep_kernels()
    assert compilation.find_cache_folder() is None


def test_threads_compile_a_kernel_once(fresh: compilation.Kernel) -> None:
    with ThreadPoolExecutor(4) as pool:
        compiled = list(pool.map(lambda _: fresh.compile(), range(8)))
    assert len(set(map(id, compiled))) == 1


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(group_scans.count_people)) is group_scans.count_people


def test_small_arrays_do_not_load_the_compiler() -> None:
    code = (
        "import sys, numpy as np\n"
        "from voile.kernels import group_scans\n"
        "group_scans.count_people(np.zeros(9, np.int64), np.ones(9, np.int64), 1)\n"
        "assert 'numba' not in sys.modules\n"
        "group_scans.count_people(np.zeros(10**6, np.int64), np.ones(10**6, np.int64), 1)\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
