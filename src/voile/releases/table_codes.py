"""Published values in the codes of the table that they came from."""

from __future__ import annotations

import numpy as np

from voile.errors import DataError
from voile.tables.domain import Domain


def known_table_codes(published: Domain, original: Domain) -> np.ndarray:
    """Return the table's code of each published value, -1 where the table does not have the value."""
    position = {leaf: code for code, leaf in enumerate(original.labels)}
    return np.array([position.get(leaf, -1) for leaf in published.labels], dtype=np.int64)


def table_codes(published: Domain, original: Domain) -> np.ndarray:
    """Return the table's code of each published value. DataError where the table does not have one of them."""
    codes = known_table_codes(published, original)
    if (codes < 0).any():
        raise DataError(
            f"The release holds {int((codes < 0).sum())} values that do not occur in the table.",
            code="data.other-table",
            hint="Measure a release against the table that it was made from.",
        )
    return codes
