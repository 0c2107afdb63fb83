"""A release that somebody changed, or another one, is to pass as signed by the steward.

The attacker has signed releases and the public key, not the private one: takes the signature away, writes a
made-up one, another release's, one with a changed number that some programs accept (RFC 8032 says that S must
be below L), or a key with which every text is signed; sends a signature of many gigabytes; and hands on an
older release, with its own signature, under the name of the one that was asked for. Or changes files while
the audit reads them.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.audit import audit as audit_module
from shoal.audit import audit_release
from shoal.audit.manifest_file import manifest_path
from shoal.errors import InputError
from tests.unit.tampering import PEOPLE, manifest_of, rewrite, spec

pytest.importorskip("cryptography")

from shoal.audit.signature import make_keys

ORDER = 2**252 + 27742317777372353535851937790883648493
"""L in RFC 8032: the order of the curve's base point."""


def signature_of(release: Path) -> Path:
    manifest = manifest_path(release)
    return manifest.with_name(f"{manifest.name}.sig")


def malleable(signature: bytes) -> bytes:
    return signature[:32] + (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")


FORGED: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda signature: b"",
    "zeros": lambda signature: bytes(64),
    "cut": lambda signature: signature[:-1],
    "longer": lambda signature: signature + b"\0",
    "twice": lambda signature: signature * 2,
    "another S": malleable,
    "another R": lambda signature: bytes([signature[0] ^ 1]) + signature[1:],
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    private, _ = make_keys(tmp_path / "steward.pem")
    return shoal.anonymize(PEOPLE, spec()).write(tmp_path / "release.csv", sign=private)


def verdict(release: Path, key: str = "steward.pub.pem") -> str:
    finding = audit_release(release, public_key=release.with_name(key)).findings[-1]
    assert finding.claim == "signature"
    return finding.verdict


@pytest.mark.parametrize("how", FORGED)
def test_a_signature_that_is_made_up(release: Path, how: str) -> None:
    assert verdict(release).startswith("holds")
    path = signature_of(release)
    path.write_bytes(FORGED[how](path.read_bytes()))
    assert verdict(release) == "FAILS, of another manifest, or by another key"


def test_none_and_what_is_no_file(release: Path) -> None:
    path = signature_of(release)
    path.unlink()
    assert verdict(release).startswith("FAILS, there is none")
    path.mkdir()
    assert verdict(release).startswith("FAILS, there is none")


def test_a_signature_that_fills_the_memory(release: Path) -> None:
    path = signature_of(release)
    with path.open("r+b") as file:
        file.truncate(1 << 40)  # without any blocks on the disk
    assert verdict(release) == "FAILS, of another manifest, or by another key"


def test_weaker_claims_with_the_old_signature(release: Path) -> None:
    said = manifest_of(release)
    said["spec"]["privacy"][0] = {"k-anonymity": 2}
    said["claims"][0]["claim"] = "k-anonymity 2"
    rewrite(release, said)
    assert verdict(release) == "FAILS, of another manifest, or by another key"


def test_a_key_with_which_everything_is_signed(release: Path) -> None:
    """A point of low order as the key: R = S = 0 fits many texts, unless such keys are refused."""
    for point in (bytes(32), b"\1" + bytes(31)):
        key = base64.b64encode(bytes.fromhex("302a300506032b6570032100") + point).decode()
        text = f"-----BEGIN PUBLIC KEY-----\n{key}\n-----END PUBLIC KEY-----\n"
        release.with_name("weak.pem").write_text(text, encoding="ascii")
        assert verdict(release, "weak.pem").startswith("FAILS")


def test_another_release_of_the_same_steward(release: Path, tmp_path: Path) -> None:
    """It is signed, and what it claims holds; the audit says which release it is."""
    older = shoal.anonymize(PEOPLE, spec(privacy=[shoal.KAnonymity(1)])).write(
        tmp_path / "older.csv", sign=tmp_path / "steward.pem"
    )
    shutil.copy(signature_of(older), signature_of(release))
    assert verdict(release).startswith("FAILS")
    shutil.copy(older, release)
    shutil.copy(manifest_path(older), manifest_path(release))
    assert verdict(release).startswith("holds")
    (found,) = (f for f in audit_release(release).findings if f.claim.startswith("SHA-256"))
    assert found.measured.endswith("..., the manifest is that of 'older.csv'")


def test_a_manifest_that_is_another_one_by_then(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The weak one is read, and the signed one is there when the signature is checked."""
    manifest = manifest_path(release)
    signed = manifest.read_bytes()
    rewrite(release, {**manifest_of(release), "shuffled": False})
    measure = audit_module.check_manifest

    def swap(*arguments: Any) -> Any:
        manifest.write_bytes(signed)
        return measure(*arguments)

    monkeypatch.setattr(audit_module, "check_manifest", swap)
    found = audit_release(release, public_key=release.with_name("steward.pub.pem"))
    assert [finding.claim for finding in found.findings if not finding.holds] == ["signature"]


def test_a_release_that_is_another_one_by_then(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its classes are measured in one file, and its SHA-256 in another."""
    changed = release.read_bytes().replace(b"flu", b"HIV")
    said = manifest_of(release)
    said["file"]["sha256"] = hashlib.sha256(changed).hexdigest()
    rewrite(release, said)
    measure = audit_module.check_manifest

    def swap(*arguments: Any) -> Any:
        release.write_bytes(changed)
        return measure(*arguments)

    monkeypatch.setattr(audit_module, "check_manifest", swap)
    with pytest.raises(InputError, match="changed while it was audited"):
        audit_release(release)
