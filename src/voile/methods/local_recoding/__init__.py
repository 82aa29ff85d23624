"""Local recoding: of equal rows only as many are generalized as the policy needs."""

from voile.methods.local_recoding.local_recoding import LocalRecoding

__all__ = ["LocalRecoding"]
