# SPDX-License-Identifier: MIT
"""Primitives written from their specifications, to make the checksums that nobody publishes.

Nothing here calls the code that Assay ships. Keccak follows FIPS 202, section 3.2, in Python
numbers; the sealed box takes X25519 and Poly1305 from `cryptography`, SHA-512 from hashlib, and
Salsa20 from the specification. `test_references.py` compares each part with published values.
"""

import hashlib
from struct import pack, unpack

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.poly1305 import Poly1305
from tests.unit.check.supercop.conftest import Functions, Generator, Pointer

LANE = (1 << 64) - 1
RATE = 128  # bytes: r = 1024, c = 576
DIGEST = 128
SIGMA = unpack("<4I", b"expand 32-byte k")
QUARTERS = (
    *((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11)),
    *((0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)),
)
STEPS = ((1, 0, 3, 7), (2, 1, 0, 9), (3, 2, 1, 13), (0, 3, 2, 18))  # to, two sources, bits
ONCE, TAG = 32, 16
REFUSED = -1


def rotated(value: int, count: int, bits: int = 64) -> int:
    """Rotate a number of so many bits to the left."""
    return (value << count | value >> (bits - count)) & ((1 << bits) - 1) if count else value


def _round_constants() -> list[int]:
    """Return the 24 constants, bits of a linear feedback shift register (algorithms 5 and 6)."""
    bits, state = [], 1
    for _ in range(255):
        bits.append(state & 1)
        state = state << 1 ^ (0x171 if state & 0x80 else 0)
    return [
        sum(bits[(7 * number + j) % 255] << ((1 << j) - 1) for j in range(7))
        for number in range(24)
    ]


def _offsets() -> dict[tuple[int, int], int]:
    """Return by how much each lane is rotated (algorithm 2)."""
    found, at = {(0, 0): 0}, (1, 0)
    for t in range(24):
        found[at] = (t + 1) * (t + 2) // 2 % 64
        at = at[1], (2 * at[0] + 3 * at[1]) % 5
    return found


CONSTANTS, OFFSETS = _round_constants(), _offsets()


def keccak_f(state: bytes) -> bytes:
    """Permute 200 bytes: 24 rounds of theta, rho, pi, chi and iota; lane (x, y) is 5 y + x."""
    a = list(unpack("<25Q", state))
    for constant in CONSTANTS:
        columns = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [columns[x - 1] ^ rotated(columns[(x + 1) % 5], 1) for x in range(5)]
        b = [0] * 25
        for (x, y), count in OFFSETS.items():
            b[5 * ((2 * x + 3 * y) % 5) + y] = rotated(a[5 * y + x] ^ d[x], count)
        a = [
            b[5 * y + x] ^ (~b[5 * y + (x + 1) % 5] & LANE & b[5 * y + (x + 2) % 5])
            for y in range(5)
            for x in range(5)
        ]
        a[0] ^= constant
    return pack("<25Q", *a)


def sponge(padded: bytes, rate: int, length: int) -> bytes:
    """Absorb whole blocks and squeeze at most one (Keccak specifications, algorithm 1)."""
    state = bytes(200)
    for at in range(0, len(padded), rate):
        block = padded[at : at + rate].ljust(200, b"\0")
        state = keccak_f(bytes(a ^ b for a, b in zip(state, block, strict=True)))
    return state[:length]


def padded_10_1(message: bytes, rate: int, first: int = 0x01) -> bytes:
    """Pad with 10*1; `first` is the byte that has the first bit, and suffixes of FIPS 202."""
    blank = bytearray(rate - len(message) % rate)
    blank[0] ^= first
    blank[-1] ^= 0x80
    return message + blank


def padded_second_round(message: bytes, rate: int) -> bytes:
    """Pad as version 2 of the specifications does (2009, section 1.2.2 with the diversifier 0).

    1 and zeros up to a byte, the diversifier and the rate in bytes, a byte each, then 1 and
    zeros up to a block.
    """
    ended = message + bytes([0x01, 0, rate, 0x01])
    return ended + bytes(-len(ended) % rate)


def keccak_third_round(h: Pointer, m: Pointer, length: int) -> None:
    """Be SUPERCOP's crypto_hash/keccak, whose checksums it publishes."""
    h.write(sponge(padded_10_1(m.read(length), RATE), RATE, DIGEST))


def keccakr1024c576(h: Pointer, m: Pointer, length: int) -> None:
    """Be crypto_hash/keccakr1024c576: the same permutation, rate and output, other padding."""
    h.write(sponge(padded_second_round(m.read(length), RATE), RATE, DIGEST))


def salsa20_rounds(words: tuple[int, ...]) -> list[int]:
    """Do the 20 rounds of Salsa20 on 16 words ("The Salsa20 family of stream ciphers")."""
    x = list(words)
    for _ in range(10):
        for quarter in QUARTERS:
            for to, one, other, bits in STEPS:
                total = x[quarter[one]] + x[quarter[other]]
                x[quarter[to]] ^= rotated(total & 0xFFFFFFFF, bits, 32)
    return x


def _matrix(key: bytes, data: bytes) -> tuple[int, ...]:
    k, n, s = unpack("<8I", key), unpack("<4I", data), SIGMA
    return (s[0], *k[:4], s[1], *n, s[2], *k[4:], s[3])


def hsalsa20(key: bytes, data: bytes) -> bytes:
    """Derive a key ("Extending the Salsa20 nonce", section 2)."""
    x = salsa20_rounds(_matrix(key, data))
    return pack("<8I", *(x[at] for at in (0, 5, 10, 15, 6, 7, 8, 9)))


def xsalsa20(key: bytes, nonce: bytes, length: int) -> bytes:
    """Return keystream for a nonce of 24 bytes."""
    derived = hsalsa20(key, nonce[:16])
    blocks = []
    for number in range(-(-length // 64)):
        words = _matrix(derived, nonce[16:] + pack("<Q", number))
        mixed = zip(salsa20_rounds(words), words, strict=True)
        blocks.append(pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in mixed)))
    return b"".join(blocks)[:length]


def _added(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def box(message: bytes, nonce: bytes, theirs: bytes, mine: bytes) -> bytes:
    """Return tag and ciphertext of crypto_box ("Cryptography in NaCl", sections 5 to 10)."""
    ours = X25519PrivateKey.from_private_bytes(mine)
    key = hsalsa20(ours.exchange(X25519PublicKey.from_public_bytes(theirs)), bytes(16))
    stream = xsalsa20(key, nonce, 32 + len(message))
    text = _added(message, stream[32:])
    return Poly1305.generate_tag(stream[:32], text) + text


def unboxed(boxed: bytes, nonce: bytes, theirs: bytes, mine: bytes) -> bytes | None:
    """Open a box; None if it was modified."""
    stream_of_zeros = box(bytes(len(boxed) - TAG), nonce, theirs, mine)[TAG:]
    message = _added(boxed[TAG:], stream_of_zeros)
    return message if box(message, nonce, theirs, mine) == boxed else None


def _public(secret: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def sealed_keypair(pk: Pointer, sk: Pointer, *, random: Generator) -> int:
    """Make a pair; the secret key ends with the public one."""
    secret = random.take(32)
    pk.write(_public(secret))
    sk.write(secret + _public(secret))
    return 0


def seal(
    c: Pointer, size: list[int], m: Pointer, length: int, pk: Pointer, *, random: Generator
) -> int:
    """Send the public key made for this message, then the box; both keys make the nonce."""
    secret, theirs, message = random.take(32), pk.read(32), m.read(length)
    once = _public(secret)
    nonce = hashlib.sha512(once + theirs).digest()[:24]
    c.write(once + box(message, nonce, theirs, secret))
    size[0] = length + ONCE + TAG
    return 0


def unseal(m: Pointer, size: list[int], c: Pointer, length: int, sk: Pointer) -> int:
    """Open it; the room behind the message becomes 0, and all of it if the box was modified."""
    sealed, secret, mine = c.read(length), sk.read(32), sk.read(32, 32)
    once, size[0] = sealed[:ONCE], 0
    found = None
    if length >= ONCE + TAG:
        nonce = hashlib.sha512(once + mine).digest()[:24]
        try:
            found = unboxed(sealed[ONCE:], nonce, once, secret)
        except ValueError:  # a point of small order: the library refuses to share zeros
            found = None
    if found is None:
        m.write(bytes(length))
        return REFUSED
    m.write(found.ljust(length, b"\0"))
    size[0] = len(found)
    return 0


SEALED: Functions = {"_keypair": sealed_keypair, "": seal, "_open": unseal}
SEALED_CONSTANTS = {"PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 64, "BYTES": 48}
