"""The signature of a certificate: who published a release, beside what holds of it.

`certificate.sig` is one line of base64: the Ed25519 signature (RFC 8032) of a fixed first line, which keeps it apart
from anything else that the same key signs, and the exact bytes of certificate.json. The certificate lists the digests
of all other files, so that one signature covers the whole release.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from voile.errors import SpecError
from voile.io.release_folder.file_names import CERTIFICATE, SIGNATURE, content_digest
from voile.kernels import lazy_module

if TYPE_CHECKING:
    from cryptography import exceptions
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    SigningKey: TypeAlias = ed25519.Ed25519PrivateKey
    SignerKey: TypeAlias = ed25519.Ed25519PublicKey
else:
    exceptions = lazy_module("cryptography.exceptions")
    serialization = lazy_module("cryptography.hazmat.primitives.serialization")
    ed25519 = lazy_module("cryptography.hazmat.primitives.asymmetric.ed25519")

DOMAIN = b"voile certificate signature 1\n"
PASSPHRASE = "VOILE_SIGN_PASSPHRASE"  # the environment variable
_LINE = re.compile(rb"[A-Za-z0-9+/]{86}==\n")  # 64 bytes in base64
_LARGEST_KEY_FILE = 100_000  # bytes


def sign_certificate(certificate: bytes, key: SigningKey) -> str:
    """Sign the bytes of a certificate; return the content of certificate.sig."""
    return base64.b64encode(key.sign(DOMAIN + certificate)).decode("ascii") + "\n"


def read_signature(folder: Path) -> bytes | None:
    """Read the signature of a folder; None if it is unsigned. ValueError if the file is no signature."""
    path = folder / SIGNATURE
    if not os.path.lexists(path):
        return None
    content = b""
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():  # nor, for example, a pipe that never ends
            with path.open("rb") as handle:
                content = handle.read(200)
    if not _LINE.fullmatch(content):
        raise ValueError
    return base64.b64decode(content)


def find_signature_fault(folder: Path, certificate_digest: str, signature: bytes, signer: SignerKey) -> str:
    """Say what is wrong with a signature, or nothing. The certificate must be the one with this digest."""
    try:
        certificate = (folder / CERTIFICATE).read_bytes()
    except OSError:
        certificate = b""
    if content_digest(certificate) != certificate_digest:
        return f"{CERTIFICATE} changed while it was read."
    try:
        signer.verify(signature, DOMAIN + certificate)
    except exceptions.InvalidSignature:
        return f"{SIGNATURE} is not a signature of {CERTIFICATE} by this signer."
    return ""


def describe_signer(signer: SignerKey) -> str:
    """Name a public key by the digest of its 32 bytes."""
    return content_digest(signer.public_bytes_raw())


def read_signing_key(path: str | Path, ask: Callable[[], str] | None = None) -> SigningKey:
    """Read a private Ed25519 key from a PEM file. The passphrase of a protected one is taken from the environment, else
    `ask` asks for it."""
    content = _read_key_file(Path(path))
    try:
        key: object = serialization.load_pem_private_key(content, password=None)
    except TypeError:  # the library's word for a missing passphrase
        passphrase = os.environ.get(PASSPHRASE) or (ask() if ask is not None else "")
        key = _unlock(Path(path), content, passphrase)
    except (ValueError, exceptions.UnsupportedAlgorithm):
        raise _wrong_key(Path(path), "holds no private key", _MAKE_KEY) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise _wrong_key(Path(path), "holds a key of another kind than Ed25519", _MAKE_KEY)
    return key


def read_signer(path: str | Path) -> SignerKey:
    """Read a public Ed25519 key from a PEM file."""
    content = _read_key_file(Path(path))
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, exceptions.UnsupportedAlgorithm):
        raise _wrong_key(Path(path), "holds no public key", _EXPORT_KEY) from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _wrong_key(Path(path), "holds a key of another kind than Ed25519", _EXPORT_KEY)
    return key


_MAKE_KEY = "Make a key with `openssl genpkey -algorithm ed25519 -out key.pem`."
_EXPORT_KEY = "The signer exports it with `openssl pkey -in key.pem -pubout -out pub.pem`."


def _unlock(path: Path, content: bytes, passphrase: str) -> object:
    if not passphrase:
        raise _wrong_key(path, "is protected by a passphrase", f"Set {PASSPHRASE}.")
    try:
        return serialization.load_pem_private_key(content, password=passphrase.encode())
    except (ValueError, TypeError, exceptions.UnsupportedAlgorithm):
        raise _wrong_key(path, "does not open with this passphrase", f"Check {PASSPHRASE}, or type it again.") from None


def _read_key_file(path: Path) -> bytes:
    try:
        with path.open("rb") as handle:
            return handle.read(_LARGEST_KEY_FILE)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise _wrong_key(path, f"cannot be read ({reason})", "Name a PEM file.") from None


def _wrong_key(path: Path, what: str, hint: str) -> SpecError:
    return SpecError(f"The key file {path.name!r} {what}.", code="spec.signing-key", hint=hint)
