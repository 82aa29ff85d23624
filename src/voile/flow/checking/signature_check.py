"""Check who signed a release folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from voile.io.release_folder import SIGNATURE
from voile.io.release_folder.signature import describe_signer, find_signature_fault, read_signature
from voile.results import Answer, Checked, Verdict

if TYPE_CHECKING:
    from voile.io.release_folder.signature import SignerKey

UNSIGNED = "unsigned"
UNCHECKED = "signed, by whom is not checked"
SIGNED = "signed by the given signer"
BROKEN = "broken"


def add_signature(verdict: Verdict, place: Path, certificate_digest: str, signer: SignerKey | None) -> Verdict:
    """Add to a verdict whether its folder is signed and, if a signer is given, whether the signer signed it."""
    try:
        signature = read_signature(place)
    except ValueError:
        return _add_fault(verdict, f"{SIGNATURE} is not one line with a signature in base64.")
    if signer is None:
        return replace(verdict, signature=UNSIGNED if signature is None else UNCHECKED)
    if signature is None:
        return _add_fault(verdict, f"Nobody signed the release: there is no {SIGNATURE}.")
    fault = find_signature_fault(place, certificate_digest, signature, signer)
    if fault:
        return _add_fault(verdict, fault)
    holds = Checked("signature", Answer.HOLDS, f"Signed by the key with the digest {describe_signer(signer)}.")
    return replace(verdict, checks=(*verdict.checks, holds), signature=SIGNED)


def _add_fault(verdict: Verdict, fault: str) -> Verdict:
    return replace(verdict, checks=(*verdict.checks, Checked("signature", Answer.BROKEN, fault)), signature=BROKEN)
