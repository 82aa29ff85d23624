"""What the methods for r-robustness ask of a policy: one model of this kind, and nothing else."""

from __future__ import annotations

from voile.errors import PolicyError, option, parameter
from voile.models.policy import Policy
from voile.models.r_robustness import RRobustness
from voile.tables.schema import Column, Columns


def require_robustness_alone(method: str, policy: Policy) -> RRobustness:
    """Return the model of a policy that asks for r-robustness alone; raise PolicyError for any other."""
    models = [model for model in policy if isinstance(model, RRobustness)]
    if len(models) > 1 and len(models) == len(policy.models):
        raise PolicyError(
            f"{method} keeps one promise of r-robustness, and {len(models)} are asked for.",
            code="policy.method",
            hint=f"For several protected sets, name all values in one promise with {parameter('protect_as', 'set')}; "
            f"with {option('method', 'capped-counts')} belief in each of the sets then stays within its own bound too.",
        )
    if len(models) != 1 or len(policy.models) != 1:
        raise PolicyError(
            f"{method} serves r-robustness alone.",
            code="policy.method",
            hint=f"Use {option('method', 'mondrian')} or {option('method', 'anatomy')} for other models.",
        )
    return models[0]


def find_model_and_target(policy: Policy, columns: Columns) -> tuple[RRobustness, Column]:
    """Return the model of a checked policy, and the column that it protects."""
    model = policy.models[0]
    assert isinstance(model, RRobustness)
    target = model.targets(columns)[0]
    assert target is not None
    return model, target
