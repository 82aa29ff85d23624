"""The sizes that the row groups of any Parquet file claim, before a page of it is decompressed."""

from __future__ import annotations

from pathlib import Path

from voile.io.size_limits import PieceSize

_FIXED_WIDTH = 16  # bytes per cell of numbers and dates, at most


def measure_row_groups(path: Path) -> list[PieceSize]:
    """Return the size of each row group as the footer states it."""
    import pyarrow.parquet as pq  # loads file systems of clouds, too

    footer = pq.read_metadata(path)
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    return [
        PieceSize(
            group.num_rows,
            group.total_byte_size,
            max(0, group.total_byte_size - _FIXED_WIDTH * (group.num_rows + 1) * group.num_columns),
        )
        for group in groups
    ]
