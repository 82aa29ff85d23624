"""The error of COUNT queries."""

from voile.measures.query_error.query_error import QueryError

__all__ = ["QueryError"]
