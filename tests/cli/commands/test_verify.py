"""`voile verify`: checks a folder, and other commands refuse a broken one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from calling import K5, ROLES, Voile
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from voile.errors import BrokenPromise
from voile.io.release_folder.signature import PASSPHRASE


def test_verify_accepts_a_release(voile: Voile, release: Path) -> None:
    answer = voile("verify", release)
    assert answer.code == 0
    assert "k-anonymity" in answer.out
    json_answer = voile("verify", release, "--json")
    assert json_answer.json["holds"] is True
    assert json_answer.err == ""
    assert voile("verify", voile.folder).code == 3


def test_a_changed_release_is_broken_and_refused_by_all_commands(voile: Voile, release: Path) -> None:
    shutil.copytree(release, "copy")
    (voile.folder / "copy" / "table.parquet").write_bytes(b"PAR1")
    answer = voile("verify", "copy", "--json")
    assert answer.code == BrokenPromise.exit_code == 5
    assert answer.json["holds"] is False
    for verb in (("audit", "copy"), ("report", "copy"), ("measure", "copy", "--data", "x.csv")):
        json_answer = voile(*verb, "--json")
        assert json_answer.code == 5
        assert json_answer.json["error"]["code"] == "broken.claim"


def write_keys(place: Path, passphrase: str) -> None:
    key, encoding = Ed25519PrivateKey.generate(), serialization.Encoding.PEM
    locked = serialization.BestAvailableEncryption(passphrase.encode())
    (place / "key.pem").write_bytes(key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, locked))
    public = key.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
    (place / "pub.pem").write_bytes(public)


def test_who_signed_a_release(voile: Voile, table: Path, release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_keys(voile.folder, "CANARY")
    signed = ("publish", table, "--out", "out", *ROLES, *K5, "--sign", "key.pem")
    monkeypatch.delenv(PASSPHRASE, raising=False)
    refused = voile(*signed)
    assert refused.code == 2
    assert PASSPHRASE in refused.err
    assert not (voile.folder / "out").exists()
    monkeypatch.setenv(PASSPHRASE, "CANARY")
    published = voile(*signed)
    assert published.code == 0
    assert "CANARY" not in published.out + published.err
    assert "Signature: signed, by whom is not checked." in voile("verify", "out").out
    assert "Signature: unsigned." in voile("verify", release).out
    checked = voile("verify", "out", "--signer", "pub.pem", "--json")
    assert checked.code == 0
    assert checked.json["signature"] == "signed by the given signer"
    assert checked.json["checks"][-1]["what"] == "signature"
    unsigned = voile("verify", release, "--signer", "pub.pem")
    assert unsigned.code == BrokenPromise.exit_code
    assert "Nobody signed" in unsigned.out
    assert voile("verify", "out", "--signer", "key.pem").code == 2


def test_a_passphrase_is_asked_for_at_a_terminal(voile: Voile, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_keys(voile.folder, "CANARY")
    monkeypatch.delenv(PASSPHRASE, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.prompt", lambda *_, hide_input, err, **__: "CANARY" if hide_input and err else "")
    answer = voile("publish", table, "--out", "out", *ROLES, *K5, "--sign", "key.pem")
    assert answer.code == 0
    assert voile("verify", "out", "--signer", "pub.pem").code == 0
