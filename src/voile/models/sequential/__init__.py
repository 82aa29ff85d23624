"""Sequential releases: earlier releases are not forgotten."""

from voile.models.sequential.sequential import Sequential

__all__ = ["Sequential"]
