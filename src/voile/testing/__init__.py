"""Checks of the contracts, for voile's own classes and for third parties: each raises AssertionError.

A class stands for its object with default knobs; knobs without a default get a small value within their limits.
`exhaust` computes what is believed by somebody who knows the algorithm, and `check_claim` asks it of every claim that
says it covers them.
"""

from voile.testing.attack_contract import check_attack
from voile.testing.claim_contract import check_claim
from voile.testing.exhaust import ExhaustiveCheck, exhaust
from voile.testing.measure_contract import check_measure
from voile.testing.method_contract import check_method
from voile.testing.model_contract import check_model
from voile.testing.sample_tables import sample
from voile.testing.tiny_table import TinyTable, random_prior, random_tiny_table

__all__ = [
    "ExhaustiveCheck",
    "TinyTable",
    "check_attack",
    "check_claim",
    "check_measure",
    "check_method",
    "check_model",
    "exhaust",
    "random_prior",
    "random_tiny_table",
    "sample",
]
