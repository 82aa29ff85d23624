"""Kept seats: what was published stays as it was, and newcomers form groups of their own."""

from voile.models.kept_seats.kept_seats import KeptSeats

__all__ = ["KeptSeats"]
