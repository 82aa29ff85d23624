"""The zip for recipients: published files and the guide, nothing else; unpacked, it verifies without a note."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import voile as vl
from voile.errors import SpecError


@pytest.fixture
def release(tmp_path: Path) -> Path:
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    return vl.publish(data, vl.KAnonymity(k=5), key=vl.Key(bytes(32))).save(tmp_path / "out", format="csv")


def test_the_unpacked_release_verifies_without_a_note(release: Path, tmp_path: Path) -> None:
    (release / "patients.csv").write_text("name\nAnna")  # a stray file in the folder stays there
    packed = vl.pack(release, tmp_path / "for you.zip", name="hospital")
    with zipfile.ZipFile(packed) as archive:
        files = ["certificate.json", "dictionary.json", "table.csv"]
        assert archive.namelist() == [*(f"hospital/{file}" for file in files), "READ_ME.html"]
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        archive.extractall(tmp_path / "received")
    verdict = vl.verify(tmp_path / "received" / "hospital")
    assert verdict.holds
    assert not any("Not covered by the certificate" in note for note in verdict.notes)
    assert "voile verify hospital" in (tmp_path / "received" / "READ_ME.html").read_text()


def test_a_signature_is_packed(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(pem)
    data = vl.read(vl.datasets.hospital(), vl.Schema(quasi=["birth", "sex"], sensitive=["disease"]))
    place = vl.publish(data, vl.KAnonymity(k=5)).save(tmp_path / "out", sign=tmp_path / "key.pem")
    assert "out/certificate.sig" in zipfile.ZipFile(vl.pack(place)).namelist()


def test_a_zip_is_replaced_only_if_asked(release: Path) -> None:
    first = vl.pack(release).read_bytes()
    with pytest.raises(SpecError, match="exists already"):
        vl.pack(release)
    assert vl.pack(release, force=True).read_bytes() == first
    with pytest.raises(SpecError, match=r"does not end in \.zip"):
        vl.pack(release, "out.tar")
