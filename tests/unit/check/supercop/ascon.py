# SPDX-License-Identifier: MIT
"""The algorithms of SP 800-232 (2025), with the S-box by its algebraic normal form.

Nothing here calls the code that Assay ships; `test_references.py` compares it with values of the
designers' files of known answers.
"""

from collections.abc import Iterable
from struct import pack, unpack

from tests.unit.check.supercop.conftest import Pointer

SBOX = bytes.fromhex("040b1f141a150902 1b0508121d03061c 1e13070e000d1118 100c0119160a0f17")
ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))
WORD = (1 << 64) - 1
AEAD, HASH = 0x00001000808C0001, 0x0000080100CC0002
XOF, CXOF = 0x0000080000CC0003, 0x0000080000CC0004
TAG = 16
REFUSED = -1


def substituted(x0: int, x1: int, x2: int, x3: int, x4: int) -> tuple[int, ...]:
    """Apply the S-box to each column, by its algebraic normal form (section 3.3)."""
    return (
        x4 & x1 ^ x3 ^ x2 & x1 ^ x2 ^ x1 & x0 ^ x1 ^ x0,
        x4 ^ x3 & x2 ^ x3 & x1 ^ x3 ^ x2 & x1 ^ x2 ^ x1 ^ x0,
        x4 & x3 ^ x4 ^ x2 ^ x1 ^ WORD,
        x4 & x0 ^ x4 ^ x3 & x0 ^ x3 ^ x2 ^ x1 ^ x0,
        x4 & x1 ^ x4 ^ x3 ^ x1 & x0 ^ x1,
    )


def permuted(state: list[int], rounds: int) -> list[int]:
    """Do the last `rounds` of the 16 of section 3."""
    for number in range(16 - rounds, 16):
        constant = (3 - number & 15) << 4 | (12 + number & 15)
        mixed = substituted(state[0], state[1], state[2] ^ constant, state[3], state[4])
        state = [
            word ^ _right(word, one) ^ _right(word, other)
            for word, (one, other) in zip(mixed, ROTATIONS, strict=True)
        ]
    return state


def _right(word: int, count: int) -> int:
    return word >> count | (word << (64 - count)) & WORD


def _blocks(data: bytes, rate: int) -> list[tuple[int, ...]]:
    """Pad with one bit 1, little-endian, and return blocks of words."""
    padded = data + b"\1" + bytes(-(len(data) + 1) % rate)
    words = unpack(f"<{len(padded) // 8}Q", padded)
    each = rate // 8
    return [words[at : at + each] for at in range(0, len(words), each)]


def begun(iv: int) -> list[int]:
    """Return the state of a hash before its first block."""
    return permuted([iv, 0, 0, 0, 0], 12)


def absorbed(state: list[int], parts: Iterable[bytes]) -> list[int]:
    """Take in parts, of which each is padded (section 5.1)."""
    for part in parts:
        for (word,) in _blocks(part, 8):
            state = permuted([state[0] ^ word, *state[1:]], 12)
    return state


def squeezed(state: list[int], length: int) -> bytes:
    """Give so many bytes, a word after each permutation."""
    out = b""
    while len(out) < length:
        out += pack("<Q", state[0])
        state = permuted(state, 12)
    return out[:length]


def customised(message: bytes, label: bytes, length: int) -> bytes:
    """Be Ascon-CXOF128: the label's length in bits is a block before it (section 5.3)."""
    state = begun(CXOF)
    state = permuted([state[0] ^ 8 * len(label), *state[1:]], 12)
    return squeezed(absorbed(state, [label, message]), length)


def _keyed(key: bytes, nonce: bytes, data: bytes) -> list[int]:
    """Begin with key, nonce and associated data (algorithm 3, steps 1 to 3)."""
    words = unpack("<2Q", key)
    state = permuted([AEAD, *words, *unpack("<2Q", nonce)], 12)
    state[3:] = [state[3] ^ words[0], state[4] ^ words[1]]
    for low, high in _blocks(data, 16) if data else []:
        state = permuted([state[0] ^ low, state[1] ^ high, *state[2:]], 8)
    state[4] ^= 1 << 63
    return state


def _tagged(state: list[int], key: bytes) -> bytes:
    words = unpack("<2Q", key)
    state = permuted([*state[:2], state[2] ^ words[0], state[3] ^ words[1], state[4]], 12)
    return pack("<2Q", state[3] ^ words[0], state[4] ^ words[1])


def sealed(message: bytes, data: bytes, nonce: bytes, key: bytes) -> bytes:
    """Be Ascon-AEAD128: ciphertext and tag (algorithm 3)."""
    state, text = _keyed(key, nonce, data), b""
    blocks = _blocks(message, 16)
    for number, (low, high) in enumerate(blocks):
        state[:2] = [state[0] ^ low, state[1] ^ high]
        text += pack("<2Q", *state[:2])
        if number < len(blocks) - 1:
            state = permuted(state, 8)
    return text[: len(message)] + _tagged(state, key)


def opened(text: bytes, data: bytes, nonce: bytes, key: bytes) -> bytes | None:
    """Return the message; None if it is forged (algorithm 4)."""
    state, body, message = _keyed(key, nonce, data), text[:-TAG], b""
    for at in range(0, len(body) // 16 * 16, 16):
        words = unpack("<2Q", body[at : at + 16])
        message += pack("<2Q", state[0] ^ words[0], state[1] ^ words[1])
        state = permuted([*words, *state[2:]], 8)
    stream = pack("<2Q", *state[:2])
    last = bytes(a ^ b for a, b in zip(body[len(message) :], stream, strict=False))
    ((low, high),) = _blocks(last, 16)
    state[:2] = [state[0] ^ low, state[1] ^ high]
    return message + last if _tagged(state, key) == text[-TAG:] else None


def ascon_hash256(h: Pointer, m: Pointer, length: int) -> None:
    """Be crypto_hash/asconhash256 (section 5.1)."""
    h.write(squeezed(absorbed(begun(HASH), [m.read(length)]), 32))


def ascon_xof128(h: Pointer, size: int, m: Pointer, length: int) -> None:
    """Be crypto_xof/asconxof128 (section 5.2)."""
    h.write(squeezed(absorbed(begun(XOF), [m.read(length)]), size))


def ascon_cxof128(h: Pointer, size: int, m: Pointer, length: int, z: Pointer, label: int) -> None:
    """Be crypto_cxof/asconcxof128 (section 5.3)."""
    h.write(customised(m.read(length), z.read(label), size))


def ascon_encrypt(
    c: Pointer,
    size: list[int],
    m: Pointer,
    length: int,
    ad: Pointer,
    data: int,
    _: Pointer,
    npub: Pointer,
    k: Pointer,
) -> int:
    """Be crypto_aead/asconaead128's encryption."""
    text = sealed(m.read(length), ad.read(data), npub.read(16), k.read(16))
    c.write(text)
    size[0] = len(text)
    return 0


def ascon_decrypt(
    m: Pointer,
    size: list[int],
    _: Pointer,
    c: Pointer,
    length: int,
    ad: Pointer,
    data: int,
    npub: Pointer,
    k: Pointer,
) -> int:
    """Be its decryption; a forged message becomes zeros."""
    found = None
    if length >= TAG:
        found = opened(c.read(length), ad.read(data), npub.read(16), k.read(16))
    m.write(bytes(max(0, length - TAG)) if found is None else found)
    size[0] = max(0, length - TAG)
    return 0 if found is not None else REFUSED
