"""Complete the hierarchies of a table: by the codes of a column, or by how alike its categories are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from voile.tables.automatic_hierarchies.likeness import group_alike, measure_profiles
from voile.tables.hierarchy import HierarchyRecipe
from voile.tables.hierarchy_builders import choose_recipe
from voile.tables.row_protocol import Table
from voile.tables.schema import Column, Columns


def complete_hierarchies(columns: Columns, rows: Table, again: Collection[str] = ()) -> Columns:
    """Return the columns, with an automatic hierarchy for each quasi-identifier column that has none, and for those
    that should be built `again` now that the rows are known."""

    def complete(column: Column) -> Column:
        if column.hierarchy is not None and column.name not in again:
            return column
        table = rows.histogram([column.name])
        counts = np.zeros(column.size, dtype=np.int64)
        counts[table.codes[:, 0]] = table.counts
        recipe = HierarchyRecipe("auto")
        if choose_recipe(column.name, column.domain, counts) == "frequency" or column.name in again:
            others = [other for other in columns.quasi if other.name != column.name]
            profiles = measure_profiles(column, others, rows)
            if profiles is not None:
                recipe = HierarchyRecipe("alike", content=group_alike(profiles))
        return replace(column, hierarchy=recipe.fit(column.name, column.domain, counts))

    return replace(columns, quasi=tuple(map(complete, columns.quasi)))
