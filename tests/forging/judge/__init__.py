"""A judge of forged folders, written apart from voile: it reads strictly, recounts the claims, and complains.

Of the form of documents it knows only what honest folders show; every number it counts itself, from the cells as they
are written. Where only the publisher could tell, it does not complain.
"""

from __future__ import annotations

from forging.judge.judge import Judge

__all__ = ["Judge"]
