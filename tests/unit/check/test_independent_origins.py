# SPDX-License-Identifier: MIT
"""The benchmark ciphers' vector files against a library that shares no code with ours."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from assay.check.answers.vector_text import Recorded, parse, xor_digest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SHORT, LONG = 512, 131072
LONG_SETS = (4, 6)

Keystream = Callable[[bytes, bytes, int], bytes]


def rc4(key: bytes, iv: bytes, length: int) -> bytes:
    """RC4 as the library has it; it takes no IV."""
    assert not iv
    return Cipher(ARC4(key), mode=None).encryptor().update(bytes(length))


def aes_counting_up_from_byte_0(key: bytes, iv: bytes, length: int) -> bytes:
    """AES of the IV, the IV + 1, ...: the first byte of the counter is the least significant."""
    first = int.from_bytes(iv, "little")
    counters = b"".join(
        ((first + i) % (1 << 128)).to_bytes(16, "little") for i in range(length // 16)
    )
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(counters)  # noqa: S305


def vectors(primitive: str) -> list[Recorded]:
    """Read every recorded stream vector of a benchmark."""
    text = (BENCHMARKS / primitive / "verified.test-vectors").read_text("ascii")
    found = [vector for part in parse(text) for vector in part.vectors]
    return [vector for vector in found if "xor-digest" in vector.values]


@pytest.mark.parametrize(
    ("primitive", "keystream"), [("rc4", rc4), ("aes-ctr", aes_counting_up_from_byte_0)]
)
def test_a_library_of_others_gives_the_verified_streams(
    primitive: str, keystream: Keystream
) -> None:
    """Every stream of every size: the parts that the file prints, and the digest of the whole."""
    recorded = vectors(primitive)
    assert len(recorded) > 100
    for vector in recorded:
        length = LONG if vector.set_number in LONG_SETS else SHORT
        values = vector.values
        stream = keystream(values["key"], values["IV"], length)
        assert values["xor-digest"] == xor_digest(stream), vector
        for label, part in values.items():
            if label.startswith("stream["):
                start, end = (int(edge) for edge in label[7:-1].split(".."))
                assert part == stream[start : end + 1], (vector.set_number, vector.number, label)


def test_rc4_agrees_with_rfc_6229() -> None:
    """The keystream for the 40-bit key 0102030405, offsets 0 and 4096, as the RFC prints it."""
    stream = rc4(bytes.fromhex("0102030405"), b"", 4112)
    assert stream[:16].hex() == "b2396305f03dc027ccc3524a0a1118a8"
    assert stream[4096:].hex() == "ff25b58995996707e51fbdf08b34d875"
