"""t-closeness: every group resembles the table."""

from voile.models.t_closeness.t_closeness import TCloseness

__all__ = ["TCloseness"]
