"""Learning from a release: plain training tables, and a decision tree that corrects for perturbed values.

`training(release)` gives a plain table to learn from; `DecisionTree` is an estimator in the manner of scikit-learn
(which must be installed: `pip install voile[mining]`), learned from a release or from such a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from voile.errors import EngineError
from voile.mining.training import Classes, Training, training

if TYPE_CHECKING:
    from voile.mining.estimator import DecisionTree

__all__ = ["Classes", "DecisionTree", "Training", "training"]


def __getattr__(name: str) -> Any:
    if name != "DecisionTree":
        raise AttributeError(f"module 'voile.mining' has no attribute {name!r}")
    try:
        from voile.mining.estimator import DecisionTree
    except ModuleNotFoundError as error:
        raise EngineError(
            f"voile.mining.DecisionTree needs {error.name}, which is not installed.",
            code="engine.extra",
            hint="Run: pip install 'voile[mining]'.",
        ) from None
    return DecisionTree
