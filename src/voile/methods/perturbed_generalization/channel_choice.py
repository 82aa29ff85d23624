"""How likely a value may be kept: what the models of a policy allow, in a first release and in those that follow it."""

from __future__ import annotations

from fractions import Fraction

from voile.errors import PolicyError, Unsatisfiable, option
from voile.models.anti_corruption.anti_corruption import AntiCorruption
from voile.models.label_differential_privacy import LabelDifferentialPrivacy, state_epsilon
from voile.models.policy import Policy
from voile.releases.randomized_response import Channel


def largest_p(model: AntiCorruption | LabelDifferentialPrivacy, k: int, blind: bool, size: int) -> Fraction:
    """Return the largest p that a model allows in a first release."""
    if isinstance(model, AntiCorruption):
        return model.terms(k, size, blind).largest_p(**model.belief_targets())
    share = model.share(k, blind)
    return model.largest_p(share, size) if share is not None else Fraction(0)


def meets(model: AntiCorruption | LabelDifferentialPrivacy, p: float, k: int, blind: bool, size: int) -> bool:
    """Return whether p meets a model in a first release."""
    if isinstance(model, AntiCorruption):
        return model.terms(k, size, blind).meets(p, **model.belief_targets())
    return model.meets(Channel(p, size), model.share(k, blind))


def require_epsilon(policy: Policy, channel: Channel, releases: int, stayers: int) -> None:
    """Raise unless so many releases together, with so many people who are in all of them, keep every epsilon."""
    share = Fraction(releases, stayers) if stayers > releases else None
    for model in policy:
        if not isinstance(model, LabelDifferentialPrivacy):
            raise PolicyError(
                f"{model.name} is about one release, and this one follows {releases - 1} others.",
                code="policy.after-model",
                hint=f"Ask for {option('model', LabelDifferentialPrivacy.name, epsilon=2)}.",
            )
        if not model.meets(channel, share):
            reached = state_epsilon(channel, share) if share is not None else None
            best = f"Epsilon would be {reached}." if reached is not None else "No epsilon can be promised."
            raise Unsatisfiable(
                f"epsilon = {model.epsilon:g} is out of reach for {releases} releases: a region has {stayers} people "
                "who are in all of them.",
                code="unsatisfiable.epsilon",
                hint=f"{best} Ask for a larger epsilon, or start a new series with larger regions.",
                best=best,
            )
