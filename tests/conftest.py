"""Shared by all tests: hypothesis without deadlines or chance, and the Adult table if it is available."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "voile",
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
settings.load_profile("voile")


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the state that voile stores for a user out of the home of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def adult() -> pl.DataFrame:
    """The Adult census table (45,222 complete rows), which is not part of the repository."""
    path = Path(__file__).parents[2] / "shared" / "data" / "adult.csv"
    if not path.is_file():
        pytest.skip("the Adult table is not at ../shared/data/adult.csv")
    return pl.read_csv(path)
