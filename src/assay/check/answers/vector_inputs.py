# SPDX-License-Identifier: MIT
"""The inputs of the vector sets (docs/reference/vectors.md; NESSIE's scheme for stream ciphers).

Byte arithmetic is modulo 256. `v` is the vector's number: every ninth one, or
every one in long files; the sets of four are always whole. Fills go on to the
end of the largest key and IV of the cipher, as in the original: genuine ciphers
exist that look at bytes behind a shorter one.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay.model import SizeChoice, StreamSubject

STEP = 9
SHORT_STREAM_BYTES = 512
LONG_STREAM_BYTES = 131072
LARGEST_FILL_BITS = 4096


class VectorInput(Struct, frozen=True):
    """One vector before it is computed. A stream vector prints parts of its output only.

    `key_behind` and `iv_behind` lie in memory behind a key or IV that is shorter
    than the cipher's largest.
    """

    set_number: int
    number: int
    key: bytes
    iv: bytes
    plaintext: bytes
    aad: bytes
    is_stream: bool
    key_behind: bytes = b""
    iv_behind: bytes = b""

    def weight(self) -> int:
        """Return how many bytes the code processes for it."""
        return len(self.plaintext) + len(self.aad)

    def cut(self, sizes: SizeChoice) -> "VectorInput":
        """Split the largest key and IV into what the sizes say and what lies behind."""
        key, iv = _bytes(sizes.key_bits), _bytes(sizes.iv_bits)
        return replace(
            self,
            key=self.key[:key],
            iv=self.iv[:iv],
            key_behind=self.key[key:],
            iv_behind=self.iv[iv:],
        )


def _one_bit(v: int, length: int) -> bytes:
    value = bytearray(length)
    if v >> 3 < length:
        value[v >> 3] = 1 << (7 - (v & 7))
    return bytes(value)


def _fill(length: int, rule: Callable[[int], int]) -> bytes:
    return bytes(rule(i) & 0xFF for i in range(length))


def _mixed(v: int, key_bytes: int, iv_bytes: int) -> tuple[bytes, bytes]:
    """Key and IV of sets 6, 9 and 12."""
    key = _fill(key_bytes, lambda i: i * 0x53 + v * 5)
    return key, _fill(iv_bytes, lambda i: i * 0x67 + v * 9 + 13)


def vector_inputs(
    subject: StreamSubject, sizes: SizeChoice, *, long: bool = False
) -> Iterator[VectorInput]:
    """Yield all vectors of a size combination, in the file's order."""
    key, iv = (
        max(_bytes(min(largest, LARGEST_FILL_BITS)), _bytes(bits))
        for largest, bits in (
            (subject.max_key_bits, sizes.key_bits),
            (subject.max_iv_bits, sizes.iv_bits),
        )
    )
    shape = Shape(sizes, key, iv, 1 if long else STEP)
    for vector in _all_sets(subject, shape):
        yield vector.cut(sizes)


class Shape(Struct, frozen=True):
    """Sizes of a combination, bytes of the largest key and IV, and the step of `v`."""

    sizes: SizeChoice
    key: int
    iv: int
    step: int


def _all_sets(subject: StreamSubject, shape: Shape) -> Iterator[VectorInput]:
    yield from _stream_sets(shape)
    if subject.authenticates or "generates-keystream" not in subject.flags:
        yield from _pair_sets(shape)
        if "supports-aad" in subject.flags:
            yield from _aad_sets(shape)


def _bytes(bits: int) -> int:
    return (bits + 7) // 8


def _stream_sets(shape: Shape) -> Iterator[VectorInput]:
    sizes, key, iv, step = shape.sizes, shape.key, shape.iv, shape.step
    short, long = bytes(SHORT_STREAM_BYTES), bytes(LONG_STREAM_BYTES)
    for v in range(0, sizes.key_bits, step):
        yield VectorInput(1, v, _one_bit(v, key), bytes(iv), short, b"", True)
    for v in range(0, 256, step):
        yield VectorInput(2, v, bytes([v]) * key, bytes(iv), short, b"", True)
    for v in range(0, 256, step):
        yield VectorInput(3, v, _fill(key, lambda i, v=v: i + v), bytes(iv), short, b"", True)  # type: ignore[misc]
    for v in range(4):
        yield VectorInput(4, v, _mixed(v, key, 0)[0], bytes(iv), long, b"", True)
    for v in range(0, sizes.iv_bits, step):
        yield VectorInput(5, v, bytes(key), _one_bit(v, iv), short, b"", True)
    for v in range(4):
        yield VectorInput(6, v, *_mixed(v, key, iv), long, b"", True)


def _pair_sets(shape: Shape) -> Iterator[VectorInput]:
    key, iv, step = shape.key, shape.iv, shape.step
    multiples = _fill(key, lambda i: i * 0x11)
    for v in range(0, 65, step):
        yield VectorInput(7, v, multiples, bytes(iv), bytes(v), b"", False)
    for v in range(0, 256, step):
        yield VectorInput(8, v, bytes(key), bytes(iv), _one_bit(v, 32), b"", False)
    for v in range(4):
        yield VectorInput(9, v, *_mixed(v, key, iv), _plaintext(v), b"", False)


def _aad_sets(shape: Shape) -> Iterator[VectorInput]:
    key, iv, step = shape.key, shape.iv, shape.step
    multiples = _fill(key, lambda i: i * 0x11)
    for v in range(0, 65, step):
        yield VectorInput(10, v, multiples, bytes(iv), bytes(32), bytes(v), False)
    for v in range(0, 256, step):
        yield VectorInput(11, v, bytes(key), bytes(iv), bytes(32), _one_bit(v, 32), False)
    for v in range(4):
        aad = _fill(32, lambda i, v=v: i * 0x25 + v * 13 + 11)  # type: ignore[misc]
        yield VectorInput(12, v, *_mixed(v, key, iv), _plaintext(v), aad, False)


def _plaintext(v: int) -> bytes:
    return _fill(32, lambda i: i * 0x61 + v * 7 + 109)
