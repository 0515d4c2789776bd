# SPDX-License-Identifier: MIT
"""Ed25519 in integers: RFC 8032, sections 5.1.1 to 5.1.7."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1
SIZE = 32
SIGN = 1 << 255

Point = tuple[int, int, int, int]  # X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
NEUTRAL: Point = (0, 1, 1, 0)


def add(p: Point, q: Point) -> Point:
    """Return the sum of two points."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar: int, point: Point) -> Point:
    """Return so many times a point."""
    found = NEUTRAL
    while scalar:
        if scalar & 1:
            found = add(found, point)
        point, scalar = add(point, point), scalar >> 1
    return found


def encode(point: Point) -> bytes:
    """Return the bytes of a point."""
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(SIZE, "little")


def decode(data: bytes) -> Point | None:
    """Return the point of an encoding; None if it is none (5.1.3)."""
    value = int.from_bytes(data, "little")
    y, sign = value & (SIGN - 1), value >> 255
    if y >= P:
        return None
    x = _x_of(y)
    if x is None or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def _x_of(y: int) -> int | None:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    root = pow(square, (P + 3) // 8, P)
    for x in (root, root * ROOT % P):
        if x * x % P == square:
            return x
    return None


@cache
def base() -> Point:
    """Return the base point: y = 4/5, x even."""
    y = 4 * pow(5, P - 2, P) % P
    x = _x_of(y) or 0
    x = P - x if x & 1 else x
    return x, y, 1, x * y % P


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A seed of 32 bytes, and what it stands for (5.1.5)."""

    seed: bytes

    @property
    def halves(self) -> tuple[int, bytes]:
        """The secret scalar, and the prefix."""
        digest = sha512(self.seed).digest()
        scalar = int.from_bytes(digest[:SIZE], "little") & ((1 << 255) - 8)
        return scalar & ((1 << 254) - 1) | 1 << 254, digest[SIZE:]

    @property
    def public(self) -> bytes:
        """The public key."""
        return encode(multiply(self.halves[0], base()))

    def sign(self, message: bytes) -> bytes:
        """Return R, S (5.1.6)."""
        scalar, prefix = self.halves
        public = self.public
        r = _number(prefix + message)
        encoded = encode(multiply(r, base()))
        return encoded + respond(r, scalar, challenge(encoded, public, message))


def challenge(encoded: bytes, public: bytes, message: bytes) -> int:
    """Return k, the hash of R, A and the message."""
    return _number(encoded + public + message)


def respond(r: int, scalar: int, k: int) -> bytes:
    """Return the bytes of S."""
    return ((r + k * scalar) % L).to_bytes(SIZE, "little")


def _number(data: bytes) -> int:
    return int.from_bytes(sha512(data).digest(), "little") % L


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether S B = R + k A, with everything as 5.1.7 wants it."""
    a, r = decode(public), decode(signature[:SIZE])
    s = int.from_bytes(signature[SIZE:], "little")
    if a is None or r is None or s >= L:
        return False
    k = challenge(signature[:SIZE], public, message)
    return encode(multiply(s, base())) == encode(add(r, multiply(k, a)))
