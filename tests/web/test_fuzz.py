"""Random requests: every answer has a documented status and a reason, and nothing is left. `bench/fuzz_page.py` runs
more of them."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from page_fuzzing import fuzz_page


@pytest.mark.filterwarnings("ignore:Duplicate name")  # of the zips that are sent
def test_no_request_ends_in_an_unexpected_answer(tmp_path: Path) -> None:
    findings = fuzz_page(tmp_path / "work", requests=150, seed=15)
    gc.collect()  # a file that nobody closed fails this test, and not another one
    assert findings.escapes == []
    assert sum(findings.statuses.values()) > 150
    assert {200, 303, 403, 404, 415} <= set(findings.statuses)
