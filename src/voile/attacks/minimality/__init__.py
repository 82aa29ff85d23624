"""The minimality attack: worlds in which the publisher would have done less are ruled out."""

from voile.attacks.minimality.minimality import Minimality

__all__ = ["Minimality"]
