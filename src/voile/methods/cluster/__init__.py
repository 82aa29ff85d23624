"""Cluster: put similar people together."""

from voile.methods.cluster.cluster import Cluster

__all__ = ["Cluster"]
