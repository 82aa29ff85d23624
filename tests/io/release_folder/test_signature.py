"""The signature of a certificate: who published, checked by voile and by others."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import voile as vl
from voile.errors import SpecError
from voile.io.release_folder import signature
from voile.releases.release import Release
from voile.results import Answer, Verdict

KEY, OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32)), Ed25519PrivateKey.from_private_bytes(bytes([1] * 32))
PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8


@pytest.fixture(scope="module")
def release() -> Release:
    frame = pl.DataFrame({"age": [20, 30, 40, 50] * 5, "disease": ["flu", "HIV", "gout", "cold"] * 5})
    data = vl.read(frame, vl.Schema(quasi=["age"], sensitive=["disease"]))
    return vl.publish(data, vl.LDiversity(l=2), key=vl.Key(bytes(32)))


def write_keys(place: Path, passphrase: bytes | None = None) -> tuple[Path, Path]:
    encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    private, public = place / "key.pem", place / "pub.pem"
    private.write_bytes(KEY.private_bytes(PEM, PKCS8, encryption))
    public.write_bytes(KEY.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    return private, public


def answer(verdict: Verdict) -> Answer | None:
    return next((check.answer for check in verdict.checks if check.what == "signature"), None)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_signed_release(release: Release, tmp_path: Path, format: str) -> None:
    private, public = write_keys(tmp_path)
    place = release.save(tmp_path / "out", format=format, sign=private)
    assert place.joinpath("certificate.sig").stat().st_size == 89
    assert "certificate.sig" not in (place / "certificate.json").read_text()
    unchecked = vl.verify(place)
    assert unchecked.holds
    assert not any("certificate.sig" in note for note in unchecked.notes)
    assert unchecked.signature == "signed, by whom is not checked"
    assert answer(unchecked) is None
    for signer in (public, str(public), KEY.public_key()):
        checked = vl.verify(place, signer=signer)
        assert checked.holds
        assert answer(checked) is Answer.HOLDS
        assert checked.as_json()["signature"] == "signed by the given signer"


def test_an_unsigned_release(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out")
    assert vl.verify(place).holds
    assert vl.verify(place).as_json()["signature"] == "unsigned"
    asked = vl.verify(place, signer=KEY.public_key())
    assert asked.broken
    assert answer(asked) is Answer.BROKEN
    assert vl.verify(release).signature is None
    with pytest.raises(SpecError, match="Only a folder"):
        vl.verify(release, signer=KEY.public_key())


def test_a_signature_in_another_place_is_none(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out", sign=KEY)
    (place / "certificate.sig").rename(tmp_path / "elsewhere")
    (place / "certificate.sig").symlink_to(tmp_path / "elsewhere")
    assert answer(vl.verify(place, signer=KEY.public_key())) is Answer.BROKEN
    assert answer(vl.verify(place)) is Answer.BROKEN


def test_another_signer_or_another_certificate_is_noticed(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out", sign=KEY)
    assert answer(vl.verify(place, signer=OTHER.public_key())) is Answer.BROKEN
    certificate = place / "certificate.json"
    certificate.write_bytes(certificate.read_bytes().removesuffix(b"\n"))
    assert vl.verify(place).holds  # the same JSON, but not the bytes that were signed
    assert answer(vl.verify(place, signer=KEY.public_key())) is Answer.BROKEN
    release.save(place, force=True, format="csv", sign=OTHER)
    assert answer(vl.verify(place, signer=KEY.public_key())) is Answer.BROKEN
    release.save(place, force=True)
    assert vl.verify(place).signature == "unsigned"


def test_the_signature_of_something_else_is_no_signature(release: Release, tmp_path: Path) -> None:
    """The same key may sign mails: the first line keeps the two apart."""
    place = release.save(tmp_path / "out")
    bare = KEY.sign((place / "certificate.json").read_bytes())
    (place / "certificate.sig").write_text(base64.b64encode(bare).decode() + "\n")
    assert answer(vl.verify(place, signer=KEY.public_key())) is Answer.BROKEN


@pytest.mark.parametrize(
    "change", ["", "\n", "x", "{}\n", "twice", "spaces", "no newline", "urlsafe", "long", "folder", "pipe"]
)
def test_a_file_that_is_no_signature_is_broken_with_and_without_a_signer(
    release: Release, tmp_path: Path, change: str
) -> None:
    """Whatever else lies in the file would be content that nobody reads."""
    place = release.save(tmp_path / "out", sign=KEY)
    path = place / "certificate.sig"
    text = path.read_text()
    changed = {
        "twice": text * 2,
        "spaces": f" {text}",
        "no newline": text.strip(),
        "long": text + "name,disease\n" * 999,
    }
    changed["urlsafe"] = "-" + text[1:]
    path.unlink()
    if change == "folder":
        path.mkdir()
    elif change == "pipe":
        os.mkfifo(path)
    else:
        path.write_text(changed.get(change, change))
    for signer in (None, KEY.public_key()):
        verdict = vl.verify(place, signer=signer)
        assert answer(verdict) is Answer.BROKEN
        assert verdict.signature == "broken"


def test_a_broken_release_is_broken_whoever_signed_it(release: Release, tmp_path: Path) -> None:
    place = release.save(tmp_path / "out", sign=KEY)
    table = place / "table.parquet"
    table.write_bytes(table.read_bytes()[:-1])
    verdict = vl.verify(place, signer=KEY.public_key())
    assert verdict.broken
    assert answer(verdict) is Answer.HOLDS


def test_keys_that_cannot_be_used(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(signature.PASSPHRASE, raising=False)
    private, public = write_keys(tmp_path)
    curve = tmp_path / "curve.pem"
    curve.write_bytes(generate_private_key(SECP256R1()).private_bytes(PEM, PKCS8, serialization.NoEncryption()))
    (tmp_path / "junk.pem").write_bytes(b"\xff junk")
    for path in (public, curve, tmp_path / "junk.pem", tmp_path / "none.pem", tmp_path, Path("a\0b")):
        with pytest.raises(SpecError) as error:
            release.save(tmp_path / "out", sign=path)
        assert error.value.code == "spec.signing-key"
        assert error.value.hint
    for path in (private, curve, tmp_path / "junk.pem", tmp_path / "none.pem"):
        with pytest.raises(SpecError) as error:
            vl.verify(tmp_path / "out", signer=path)
        assert error.value.code == "spec.signing-key"
    assert not (tmp_path / "out").exists()


def test_a_key_with_a_passphrase(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private, public = write_keys(tmp_path, b"open sesame")
    monkeypatch.delenv(signature.PASSPHRASE, raising=False)
    with pytest.raises(SpecError, match="protected by a passphrase"):
        release.save(tmp_path / "out", sign=private)
    assert signature.read_signing_key(private, lambda: "open sesame").public_key() == KEY.public_key()
    monkeypatch.setenv(signature.PASSPHRASE, "CANARY")
    with pytest.raises(SpecError, match="does not open") as error:
        release.save(tmp_path / "out", sign=private)
    assert "CANARY" not in str(error.value)
    monkeypatch.setenv(signature.PASSPHRASE, "open sesame")
    assert vl.verify(release.save(tmp_path / "out", sign=private), signer=public).holds


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_checks_the_same(release: Release, tmp_path: Path) -> None:
    """The recipe of docs/signing.md."""
    private, public = tmp_path / "key.pem", tmp_path / "pub.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
    subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
    place = release.save(tmp_path / "out", sign=private)
    assert vl.verify(place, signer=public).holds
    (tmp_path / "signed").write_bytes(signature.DOMAIN + (place / "certificate.json").read_bytes())
    (tmp_path / "raw").write_bytes(base64.b64decode((place / "certificate.sig").read_bytes()))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin"]
    files = ["-in", tmp_path / "signed", "-sigfile", tmp_path / "raw"]
    found = subprocess.run([*command, *files], capture_output=True, env={**os.environ, "LC_ALL": "C"})
    assert b"Verified Successfully" in found.stdout
