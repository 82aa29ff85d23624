"""Injector: Anatomy under negative rules mined from the table."""

from voile.methods.injector.injector import Injector

__all__ = ["Injector"]
