"""The honest folders, published once."""

from __future__ import annotations

from pathlib import Path

import pytest

from forging.honest_folders import publish_all


@pytest.fixture(scope="session")
def honest_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every honest folder by name and format."""
    return publish_all(tmp_path_factory.mktemp("honest"))
