"""The secret key behind all random choices. It never enters a release, a log or a report.

Randomness is a function of (key, purpose, position): the same key deals the same rows the same way, on any engine,
and a task that runs again draws the same numbers.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from voile.errors import DataError

BYTES = 32


@dataclass(frozen=True)
class Key:
    """256 secret bits. `Key.fresh()` draws them; `Key.read(path)` reads them from a file, for a repeatable release.

    >>> Key.fresh()
    Key(secret)
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != BYTES:
            raise DataError(
                f"A key has {BYTES} bytes; this one has {len(self.secret)}.",
                code="data.key",
                hint="Make one with `python -c 'import secrets; print(secrets.token_hex(32))'`.",
            )

    def __repr__(self) -> str:
        return "Key(secret)"

    @staticmethod
    def fresh() -> Key:
        """Return a new key from the operating system's entropy."""
        return Key(secrets.token_bytes(BYTES))

    @staticmethod
    def read(path: str | Path) -> Key:
        """Read a key from a file that holds 64 hexadecimal digits or 32 raw bytes."""
        try:
            raw = Path(path).read_bytes()
        except OSError as error:
            raise DataError(
                f"The key file {Path(path).name!r} cannot be read ({error.strerror}).",
                code="data.key",
                hint="Name a file that holds 64 hexadecimal digits.",
            ) from None
        digits = raw.strip()
        # check before decoding: the message of a decoder that fails would show a byte of the key
        is_hexadecimal = len(digits) == 2 * BYTES and all(byte in b"0123456789abcdefABCDEF" for byte in digits)
        return Key(bytes.fromhex(digits.decode("ascii")) if is_hexadecimal else raw)

    def stream(self, purpose: str, size: int) -> np.ndarray:
        """Return `size` uniform 64-bit numbers for one purpose: ChaCha20 under a subkey derived from the purpose.

        >>> key = Key(bytes(32))
        >>> bool((key.stream("deal", 5)[:3] == key.stream("deal", 3)).all())
        True
        >>> bool((key.stream("deal", 3) == key.stream("order", 3)).any())
        False
        """
        subkey = hashlib.blake2b(purpose.encode(), key=self.secret, digest_size=BYTES).digest()
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms  # few verbs draw anything

        cipher = Cipher(algorithms.ChaCha20(subkey, bytes(16)), mode=None).encryptor()
        return np.frombuffer(cipher.update(bytes(8 * size)), dtype=np.uint64)

    def draw_below(self, purpose: str, limits: int | np.ndarray, size: int) -> np.ndarray:
        """Draw `size` integers below `limits` (one for all, or one each), each exactly as likely as any other.

        A number beyond the last full round of a limit would favour small results, so it is drawn again.

        >>> bool((Key(bytes(32)).draw_below("draw", 3, 1000) < 3).all())
        True
        """
        limits = np.broadcast_to(np.asarray(limits, dtype=np.uint64), size)
        coins = self.stream(purpose, size).copy()
        largest = np.uint64(2**64 - 1)
        rejected, attempt = np.flatnonzero(coins > largest - (largest % limits + np.uint64(1)) % limits), 0
        while len(rejected):
            attempt += 1
            coins[rejected] = self.stream(f"{purpose} again {attempt}", len(rejected))
            limit = limits[rejected]
            rejected = rejected[coins[rejected] > largest - (largest % limit + np.uint64(1)) % limit]
        return np.asarray(coins % limits)

    def draw_true(self, purpose: str, threshold: int, size: int) -> np.ndarray:
        """Draw `size` truth values, each true with probability `threshold` / 2^64.

        >>> bool(Key(bytes(32)).draw_true("keep", 0, 1000).any())
        False
        """
        return np.asarray(self.stream(purpose, size) < np.uint64(threshold))

    def derive_part_key(self, number: int) -> Key:
        """Derive the key of one part of a large table."""
        return Key(hashlib.blake2b(f"part {number}".encode(), key=self.secret, digest_size=BYTES).digest())

    def shuffle(self, purpose: str, size: int) -> np.ndarray:
        """Return a uniform permutation of 0..size-1 for one purpose (64-bit sort keys; ties are negligibly rare)."""
        return np.argsort(self.stream(purpose, size), kind="stable")
