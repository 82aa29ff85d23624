"""Mondrian's compiled cuts. Rows of codes are moved so that every node of the tree is a contiguous range; a cut puts
the codes up to a position on the left. Rows are weighted: each stands for several people.

The most even cut of each column is found; a column may be cut if both sides keep `smallest` people. Large nodes are cut
in the column with the largest spread, nodes of up to `fine` rows in the column whose two halves lose least. Spreads
come from a 64-bit sketch per column: one bit per value, or per 64th of the domain if there are more values.

A tuple tells the kernels what they need to know about the columns,
frame = (sketch, offset, ranged, scale, fence, fenced, exact):
    sketch  the bit of each code, the columns one after another
    offset  where each column's codes start in `sketch`, and the end
    ranged  whether a column's cells are intervals
    scale   1 / (largest spread) of each column
    fence   for each code, the height of the fence between it and the next code. Only the highest fences inside a node
            may be cut: if the height is the level of the common ancestor, cuts follow the branches of a hierarchy
    fenced  whether a column has fences
    exact   whether each code of a column has a bit of its own, at the code's place
"""

from __future__ import annotations

from voile.methods.mondrian.kernel.cuts import (
    FINE,
    assign_halves,
    cut_nodes,
    grow_tree,
    number_leaves,
    padded_width,
    propose_cuts,
)
from voile.methods.mondrian.kernel.medians import SHORT

__all__ = [
    "FINE",
    "SHORT",
    "assign_halves",
    "cut_nodes",
    "grow_tree",
    "number_leaves",
    "padded_width",
    "propose_cuts",
]
