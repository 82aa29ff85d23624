"""Claims of a certificate turned back into the models that make them."""

from __future__ import annotations

import pytest

import voile as vl
from voile.errors import PolicyError
from voile.models.claimed_model import claimed_model, requested_model

DATA = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex", "zip"], sensitive=["disease"]))


def test_the_model_of_a_claim_makes_the_same_claim() -> None:
    release = vl.publish(DATA, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))
    models = [claimed_model(claim) for claim in release.certificate.claims]
    assert models == [vl.KAnonymity(k=5), vl.LDiversity(l=3)]


def test_the_model_that_was_requested_names_its_column() -> None:
    release = vl.publish(DATA, vl.Policy(vl.KAnonymity(k=5), vl.LDiversity(l=3)))
    models = [requested_model(claim) for claim in release.certificate.claims]
    assert models == [vl.KAnonymity(k=5), vl.LDiversity(l=3, column="disease")]


def test_a_claim_of_an_unknown_model_is_refused() -> None:
    with pytest.raises(PolicyError, match="There is no model named 'wishful'"):
        claimed_model({"model": "wishful", "parameters": {}, "column": None})
