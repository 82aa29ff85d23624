"""Mondrian's cuts. Rows of codes are moved so that every node of the tree is a contiguous range; a cut keeps codes up
to a position on the left. Rows are weighted: each stands for several people.

For each column the most even cut is found; a column may be cut if both sides keep `smallest` people. Large nodes are
cut in the column with the largest spread, nodes of up to `fine` rows in the column whose two halves lose least.
Spreads come from a 64-bit sketch a column: one bit a value, or a 64th of the domain where there are more values.

What the kernels need to know of the columns is packed in a tuple, frame =
(sketch, offset, ranged, scale, fence, fenced, exact):
    sketch  the bit of each code, the columns one after another
    offset  where a column's codes start in `sketch`, and the end
    ranged  whether a column's cells are intervals
    scale   1 / (largest spread) of each column
    fence   for each code the height of the fence between it and the next code. Only the highest fences inside a node
            may be cut: with the level of the common ancestor as height, cuts follow the branches of a hierarchy
    fenced  whether a column has fences
    exact   whether each code of a column is a bit of its own, at the code's place
"""

from __future__ import annotations

from voile.methods.mondrian.kernel.cuts import FINE, candidates, divide, grow, numbered, padded, sides
from voile.methods.mondrian.kernel.medians import SHORT

__all__ = ["FINE", "SHORT", "candidates", "divide", "grow", "numbered", "padded", "sides"]
