# SPDX-License-Identifier: MIT
"""The tag of nothing by Ascon v1.2, written from its specification for NIST (section 2)."""

_MASK = (1 << 64) - 1
_ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))


def _rotated(word: int, by: int) -> int:
    return (word >> by | word << 64 - by) & _MASK


def _permuted(state: bytes, rounds: int) -> bytes:
    """Add the constant, substitute by columns, and diffuse each word, so many times."""
    x = [int.from_bytes(state[8 * n : 8 * n + 8], "big") for n in range(5)]
    for number in range(12 - rounds, 12):
        x[2] ^= 0xF0 - 0x0F * number
        x[0] ^= x[4]
        x[4] ^= x[3]
        x[2] ^= x[1]
        x = [x[n] ^ (~x[(n + 1) % 5] & x[(n + 2) % 5]) for n in range(5)]
        x[1] ^= x[0]
        x[0] ^= x[4]
        x[3] ^= x[2]
        x[2] ^= _MASK
        pairs = zip(x, _ROTATIONS, strict=True)
        x = [one ^ _rotated(one, first) ^ _rotated(one, second) for one, (first, second) in pairs]
    return b"".join(one.to_bytes(8, "big") for one in x)


def _xored(state: bytes, other: bytes, at: int = 0) -> bytes:
    padded = bytes(at) + other + bytes(len(state) - at - len(other))
    return bytes(one ^ two for one, two in zip(state, padded, strict=True))


def tag_of_nothing(key: bytes, nonce: bytes, rate: int, rounds: int) -> bytes:
    """Return the tag of no associated data and no message; the rate is in bytes."""
    start = bytes([8 * len(key), 8 * rate, 12, rounds]) + bytes(20 - len(key))
    state = _permuted(start + key + nonce, 12)
    state = _xored(state, key, 40 - len(key))
    state = _xored(state, b"\x01", 39)
    state = _xored(state, b"\x80")
    state = _xored(state, key, rate)
    return _xored(_permuted(state, 12)[24:], key[-16:])
