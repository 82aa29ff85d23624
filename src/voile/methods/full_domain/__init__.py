"""Full-domain recoding: one level of the hierarchy per column, the same for everybody."""

from voile.methods.full_domain.full_domain import FullDomain

__all__ = ["FullDomain"]
