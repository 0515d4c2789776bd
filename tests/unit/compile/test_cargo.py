# SPDX-License-Identifier: MIT
"""Packages in Rust: why they cannot be built offline, and archives of those that can."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from assay.compile import cargo
from assay.compile.cargo import rust_archive, rust_reason, rust_symbols
from assay.errors import MachineError
from assay.execute.jail import Jail, JailMode
from assay.model import Package
from assay.package.supercop.load import load

JAIL: Final = Jail(JailMode.LIMITS_ONLY)
LOCK: Final = 'version = 3\n\n[[package]]\nname = "toy"\nversion = "0.1.0"\n'
SOURCES: Final = {
    "crypto_verify": """
        pub fn crypto_verify(x: &[u8; 2], y: &[u8; 2]) -> isize { if x == y { 0 } else { -1 } }
    """,
    "crypto_hash": """
        pub fn crypto_hash(out: &mut [u8; 2], m: &[u8]) {
            out[0] = m.len() as u8;
            out[1] = m.iter().fold(0, |sum, byte| sum ^ byte);
        }
    """,
    "crypto_scalarmult": """
        pub fn crypto_scalarmult(q: &mut [u8; 2], n: &[u8; 1], p: &[u8; 2]) {
            *q = [n[0] * p[0], n[0] * p[1]];
        }
        pub fn crypto_scalarmult_base(q: &mut [u8; 2], n: &[u8; 1]) { *q = [n[0], 9]; }
    """,
    "crypto_stream": """
        pub fn crypto_stream(c: &mut [u8], n: &[u8; 1], k: &[u8; 1]) { c.fill(n[0] + k[0]); }
        pub fn crypto_stream_xor(c: &mut [u8], m: &[u8], n: &[u8; 1], k: &[u8; 1]) {
            for (to, from) in c.iter_mut().zip(m) { *to = from ^ (n[0] + k[0]); }
        }
    """,
    "crypto_aead": """
        pub fn crypto_aead_encrypt(
            c: &mut [u8], m: &[u8], ad: &[u8], _s: &[u8; 0], n: &[u8; 1], k: &[u8; 1],
        ) -> usize {
            c[..m.len()].copy_from_slice(m);
            c[m.len()] = ad.len() as u8 + n[0] + k[0];
            c.len()
        }
        pub fn crypto_aead_decrypt(
            m: &mut [u8], _s: &mut [u8; 0], c: &[u8], ad: &[u8], n: &[u8; 1], k: &[u8; 1],
        ) -> (usize, isize) {
            let length = c.len() - 1;
            m[..length].copy_from_slice(&c[..length]);
            let good = c[length] == ad.len() as u8 + n[0] + k[0];
            (length, if good { 0 } else { -1 })
        }
    """,
}
needs_cargo = pytest.mark.skipif(
    not all(map(shutil.which, ("cargo", "rustc"))), reason="needs cargo, of the system or rustup"
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is built apart from the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def package(tree: Path, operation: str, depends: str = "") -> Package:
    """Write a toy in Rust."""
    folder = tree / operation / "toy/rust"
    (folder / "src").mkdir(parents=True)
    (folder / "api.h").write_text("#define CRYPTO_ABYTES 1\n")
    (folder / "Cargo.lock").write_text(LOCK)
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "toy"\nversion = "0.1.0"\n[dependencies]\n{depends}\n'
    )
    (folder / "src/lib.rs").write_text(SOURCES[operation])
    loaded = load(tree, f"{operation}/toy/rust")
    assert isinstance(loaded, Package)
    return loaded


def functions(tree: Path, operation: str) -> ctypes.CDLL:
    """Build a toy and load its functions."""
    toy = package(tree, operation)
    archive = rust_archive(toy, "toy", JAIL)
    wanted = [f"-Wl,-u,{symbol}" for symbol in rust_symbols(toy, "toy")]
    shared = archive.with_suffix(".so")
    exported = shared.with_suffix(".map")
    exported.write_text("{ global: toy*; local: *; };\n")
    line = ["gcc", "-shared", *wanted, str(archive), f"-Wl,--version-script={exported}"]
    subprocess.run([*line, "-lgcc_s", "-o", str(shared)], check=True)
    return ctypes.CDLL(str(shared))


@needs_cargo
def test_verify_hash_and_scalarmult_are_called_as_in_c(tmp_path: Path) -> None:
    """Arrays have the lengths of the functions' own signatures."""
    verify = functions(tmp_path, "crypto_verify").toy
    assert [verify(b"ab", b"ab"), verify(b"ab", b"ac")] == [0, -1]

    out = ctypes.create_string_buffer(2)
    assert functions(tmp_path, "crypto_hash").toy(out, b"\1\2\4", ctypes.c_ulonglong(3)) == 0
    assert out.raw == b"\3\7"

    mult = functions(tmp_path, "crypto_scalarmult")
    assert mult.toy(out, b"\3", b"\1\2") == 0
    assert out.raw == b"\3\6"
    assert mult.toy_base(out, b"\5") == 0
    assert out.raw == b"\5\x09"


@needs_cargo
def test_stream_and_aead_are_called_as_in_c(tmp_path: Path) -> None:
    """Lengths are given and returned; without secret nonces their address may be anything."""
    stream, three = functions(tmp_path, "crypto_stream"), ctypes.c_ulonglong(3)
    out = ctypes.create_string_buffer(4)
    assert stream.toy(out, three, b"\1", b"\2") == 0
    assert out.raw == b"\3\3\3\0"
    assert stream.toy_xor(out, b"abc", three, b"\1", b"\2") == 0
    assert out.raw == bytes(byte ^ 3 for byte in b"abc") + b"\0"

    aead, size = functions(tmp_path, "crypto_aead"), ctypes.c_ulonglong()
    two = ctypes.c_ulonglong(2)
    given = (b"abc", three, b"ad", two, None, b"\1", b"\2")
    assert aead.toy_encrypt(out, ctypes.byref(size), *given) == 0
    assert (out.raw, size.value) == (b"abc\5", 4)
    back = ctypes.create_string_buffer(4)
    for box, result in ((b"abc\5", 0), (b"abc\6", -1)):
        rest = (None, box, size, b"ad", two, b"\1", b"\2")
        length = ctypes.c_ulonglong()
        assert aead.toy_decrypt(back, ctypes.byref(length), *rest) == result
        assert (back.raw[:3], length.value) == (b"abc", 3)


@needs_cargo
def test_a_crate_that_is_not_here_is_a_reason(tmp_path: Path) -> None:
    """It is named; nothing is fetched."""
    toy = package(tmp_path, "crypto_hash", 'assay-no-such-crate = "1"')
    reason = rust_reason(toy, JAIL)
    assert reason.startswith("cargo cannot build it offline: ")
    assert "assay-no-such-crate" in reason
    with pytest.raises(MachineError, match="assay-no-such-crate"):
        rust_archive(toy, "toy", JAIL)


def test_without_cargo_the_reason_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is whether the jail finds one."""
    monkeypatch.setattr(cargo, "_version", lambda _: "")
    assert "apt-get install cargo" in rust_reason(package(tmp_path, "crypto_hash"), JAIL)
