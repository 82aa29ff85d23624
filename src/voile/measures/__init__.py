"""What analysts lose: one file or folder per measure."""

from __future__ import annotations

from voile.measures.alteration import Alteration
from voile.measures.certainty import Certainty
from voile.measures.class_size import ClassSize
from voile.measures.classification import Classification
from voile.measures.discernibility import Discernibility
from voile.measures.distortion import Distortion
from voile.measures.divergence import Divergence
from voile.measures.learners import Learners
from voile.measures.marginals import Marginals
from voile.measures.query_error.query_error import QueryError

__all__ = [
    "Alteration",
    "Certainty",
    "ClassSize",
    "Classification",
    "Discernibility",
    "Distortion",
    "Divergence",
    "Learners",
    "Marginals",
    "QueryError",
]
