"""Signatures: what one key signs, its public half checks, and openssl too; everything else is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.tampering import PEOPLE, TAMPERINGS, spec, write

import shoal
from shoal.audit import audit_release
from shoal.audit.signature import make_keys, public_key_path, signer
from shoal.errors import InputError, OutputError
from shoal.write.evidence_paths import EvidencePaths, manifest_path
from shoal.write.output import FileOutput

pytest.importorskip("cryptography")


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "keys").mkdir()
    return make_keys(tmp_path / "keys" / "steward.pem")


def signed(folder: Path, key: Path) -> Path:
    return shoal.anonymize(PEOPLE, spec()).write(folder / "release.csv", sign=key)


def signature_path(release: Path) -> Path:
    return EvidencePaths.of(FileOutput(release)).signature


def verdict(release: Path, key: Path) -> str:
    finding = audit_release(release, public_key=key).findings[-1]
    assert finding.claim == "signature"
    return finding.verdict


def test_a_pair_of_keys(keys: tuple[Path, Path]) -> None:
    private, public = keys
    assert [path.name for path in keys] == ["steward.pem", "steward.pub.pem"]
    assert private.read_text(encoding="ascii").startswith("-----BEGIN PRIVATE KEY-----\n")
    assert public.read_text(encoding="ascii").startswith("-----BEGIN PUBLIC KEY-----\n")
    if os.name != "nt":
        assert private.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("taken", ["own.pem", "own.pub.pem"])
def test_no_key_is_ever_replaced(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("mine", encoding="ascii")
    with pytest.raises(OutputError, match="It already exists"):
        make_keys(tmp_path / "own.pem")
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert (tmp_path / taken).read_text(encoding="ascii") == "mine"


def test_a_key_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        make_keys(tmp_path / "nowhere" / "own.pem")


def test_a_name_without_a_suffix() -> None:
    assert public_key_path(Path("keys/own")).name == "own.pub.pem"


def test_what_was_signed_is_confirmed(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    release = signed(tmp_path, keys[0])
    assert len(signature_path(release).read_bytes()) == 64
    audit = audit_release(release, public_key=keys[1])
    assert audit.holds
    assert verdict(release, keys[1]) == "holds, Ed25519, by the key 'steward.pub.pem'"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_confirms_it_too(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    release = signed(tmp_path, keys[0])
    command = [
        "openssl", "pkeyutl", "-verify", "-pubin", "-inkey", keys[1], "-rawin",
        "-in", manifest_path(release), "-sigfile", signature_path(release),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "rawin" in done.stderr:
        pytest.skip("this openssl is older than 3.0")
    assert (done.returncode, done.stdout.strip()) == (0, "Signature Verified Successfully")
    TAMPERINGS["a false k"](release)
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_a_changed_manifest_another_key_and_no_signature(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    release = signed(tmp_path, keys[0])
    _, other = make_keys(tmp_path / "other.pem")
    assert verdict(release, other) == "FAILS, of another manifest, or by another key"
    # A space at the end says nothing else, and is still another manifest.
    with manifest_path(release).open("a", encoding="utf-8") as file:
        file.write(" ")
    assert verdict(release, keys[1]) == "FAILS, of another manifest, or by another key"
    signature_path(release).write_bytes(b"short")
    assert verdict(release, keys[1]) == "FAILS, of another manifest, or by another key"
    signature_path(release).unlink()
    assert verdict(release, keys[1]) == "FAILS, there is none: no file 'release.csv.manifest.json.sig'"


def test_a_release_without_a_key_takes_an_old_signature_away(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    release = signed(tmp_path, keys[0])
    assert write(tmp_path) == release
    assert not signature_path(release).exists()


def test_a_signature_needs_a_manifest(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="A public key checks the signature"):
        audit_release(write(tmp_path), spec(), public_key=keys[1])


def test_what_is_no_key(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    private, public = keys
    text = tmp_path / "text.pem"
    text.write_text("age,sex\n", encoding="ascii")
    for path in (text, public):
        with pytest.raises(InputError, match="is not a private key"):
            signer(path)
    release = write(tmp_path)
    for path in (text, private):
        with pytest.raises(InputError, match="is not a public key"):
            audit_release(release, public_key=path)
    with pytest.raises(InputError, match="does not exist"):
        signer(tmp_path / "nowhere.pem")


def test_keys_of_other_kinds(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    curve, path = generate_private_key(SECP256R1()), tmp_path / "key.pem"
    pem, kind = form.Encoding.PEM, form.PrivateFormat.PKCS8
    path.write_bytes(curve.private_bytes(pem, kind, form.NoEncryption()))
    with pytest.raises(InputError, match="not an Ed25519 key"):
        signer(path)
    locked = Ed25519PrivateKey.generate()
    path.write_bytes(locked.private_bytes(pem, kind, form.BestAvailableEncryption(b"secret")))
    with pytest.raises(InputError, match="It is protected by a password"):
        signer(path)


def test_nothing_is_written_without_the_key(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, spec())
    with pytest.raises(InputError, match="does not exist"):
        release.write(tmp_path / "release.csv", sign=tmp_path / "nowhere.pem")
    assert list(tmp_path.iterdir()) == []


def test_where_cryptography_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'shoal\[sign\]'"):
        make_keys(tmp_path / "own.pem")
