"""Wong, Fu, Wang, Pei: the minimality attack and MASK (VLDB 2007), recomputed."""

from voile.papers.minimality.minimality import PAPER

__all__ = ["PAPER"]
