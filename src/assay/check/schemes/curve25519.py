# SPDX-License-Identifier: MIT
"""Ed25519 and X25519: inputs of which few random ones are like, and what is right for them.

Ed25519 is computed in integers (RFC 8032, sections 5.1.1 to 5.1.7), X25519 (RFC 7748) by another
implementation. Among the inputs of the latter are points whose multiple is next to 0 or to p, that
is 2^255 - 19. Code whose last reduction begins too late or too early is right for random points,
but for one in 2^250.
"""

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha512

from msgspec import Struct

Draw = Callable[[int], bytes]

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1
SIZE = 32
SIGN = 1 << 255

UNDECODABLE = 8  # public keys at random
ORDER = 8  # of points of small order, or a divisor
ORDER_8 = (
    0x00B8495F16056286FDB1329CEB8D09DA6AC49FF1FAE35616AEB8413B7C7AEBE0,
    0x57119FD0DD4E22D8868E1C58C45C44045BEF839C55B1D0B1248C50A3BC959C5F,
)
"""The u of all points of order 8 on the curve; 0, 1 and -1 are those of orders 2 and 4."""
ORDERS = (
    L,
    2**253 - 55484635554744707071703875581767296995,
)
"""The primes in the orders of the curve (RFC 7748, section 4.1) and of its twist."""
FOR_A_RESULT = (*range(2, 19), *(P - one for one in range(2, 19)))
AGAIN = 3  # secret keys for each result
SCALARS = range(1 << 254, 1 << 255)  # the multiples of 8 among them are left as they are

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


class SecretKey(Struct, frozen=True):
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


class Refused(Struct, frozen=True):
    """A signature that must not verify."""

    about: str
    public: bytes
    signature: bytes
    message: bytes


def refused(draw: Draw) -> Iterator[Refused]:
    """Yield signatures of every class that are wrong in one respect."""
    message = draw(37)
    key = SecretKey(draw(SIZE))
    yield from _large_s(key, message)
    yield from _other_r(key, message, draw)
    yield from _undecodable(draw, message)
    yield from _small_keys(draw, message)


def _large_s(key: SecretKey, message: bytes) -> Iterator[Refused]:
    good = key.sign(message)
    s = int.from_bytes(good[SIZE:], "little")
    for times in range(1, 16):
        if s + times * L < 2**256:
            yield _changed(f"S + {times} L", key, good[:SIZE], s + times * L, message)
    for bit in (252, 253, 254, 255):
        if not s >> bit & 1:
            yield _changed(f"S with bit {bit} set", key, good[:SIZE], s | 1 << bit, message)


def _changed(about: str, key: SecretKey, r: bytes, s: int, message: bytes) -> Refused:
    return Refused(f"{about} in place of S", key.public, r + s.to_bytes(SIZE, "little"), message)


def _other_r(key: SecretKey, message: bytes, draw: Draw) -> Iterator[Refused]:
    """Answer the challenge of an R that is written in another way than its point's."""
    true = encode(multiply(r := int.from_bytes(draw(SIZE), "little") % L, base()))
    negated = (int.from_bytes(true, "little") ^ SIGN).to_bytes(SIZE, "little")
    others = [("R with the sign of its x changed", negated, r)]
    for about, value in (
        ("R = 0 with y not reduced", P + 1),
        ("R = 0 with the sign of x = 0 set", 1 | SIGN),
        ("R = 0 with y not reduced and the sign set", P + 1 | SIGN),
    ):
        others.append((about, value.to_bytes(SIZE, "little"), 0))
    for about, encoded, secret in others:
        k = challenge(encoded, key.public, message)
        signature = encoded + respond(secret, key.halves[0], k)
        yield Refused(about, key.public, signature, message)


def _undecodable(draw: Draw, message: bytes) -> Iterator[Refused]:
    """Yield signatures under keys that are no points: random ones, and some for a key of 0."""
    found = 0
    while found < UNDECODABLE:
        public = draw(SIZE)
        if decode(public) is not None:
            continue
        found += 1
        s = int.from_bytes(draw(SIZE), "little") % L
        encoded = encode(multiply(s, base()))
        right = s.to_bytes(SIZE, "little")
        yield Refused("a public key that is no point", public, draw(SIZE) + right, message)
        yield Refused(
            "a public key that is no point, taken for 0", public, encoded + right, message
        )


def _small_keys(draw: Draw, message: bytes) -> Iterator[Refused]:
    """Yield random signatures under keys of small order, each in all its encodings."""
    order_8 = multiply(L, _any_point(draw))
    points = [multiply(times, order_8) for times in range(8)]
    encodings = {encode(one) for one in (*points, NEUTRAL)}
    for y in (0, 1, P - 1, P, P + 1):
        encodings |= {value.to_bytes(SIZE, "little") for value in (y, y | SIGN)}
    for public in sorted(encodings):
        s = int.from_bytes(draw(SIZE), "little") % L
        signature = draw(SIZE) + s.to_bytes(SIZE, "little")
        yield Refused("a key of small order and a signature at random", public, signature, message)


def unreduced(draw: Draw) -> Iterator[Refused]:
    """Yield signatures that fit the equation, under keys that RFC 8032, section 5.1.3, refuses.

    Of points of small order alone signatures can be made without a secret key, by trial.
    """
    for about, value in (
        ("y = 0 not reduced", P),
        ("y = 0 not reduced and the sign set", P | SIGN),
        ("y = 1 not reduced", P + 1),
        ("the sign of x = 0 set", 1 | SIGN),
        ("y = 1 not reduced and the sign of x = 0 set", P + 1 | SIGN),
    ):
        public, reduced = value.to_bytes(SIZE, "little"), (value & (SIGN - 1)) % P
        point = NEUTRAL if reduced else decode((reduced | value & SIGN).to_bytes(SIZE, "little"))
        if point is not None:
            yield _fitting(f"a public key with {about}", public, point, draw)


def _fitting(about: str, public: bytes, point: Point, draw: Draw) -> Refused:
    """Return R = S B - k A for a k that the hash of R, A and a message is, modulo 8."""
    while True:
        message, s = draw(37), int.from_bytes(draw(SIZE), "little") % L
        k = draw(1)[0] % ORDER
        encoded = encode(add(multiply(s, base()), multiply(ORDER - k, point)))
        if challenge(encoded, public, message) % ORDER == k:
            return Refused(about, public, encoded + s.to_bytes(SIZE, "little"), message)


def _any_point(draw: Draw) -> tuple[int, int, int, int]:
    """Return a point whose part of small order has order 8."""
    while True:
        point = decode(draw(SIZE))
        if point is not None and encode(multiply(4 * L, point)) != encode(NEUTRAL):
            return point


def exchange(scalar: bytes, point: bytes) -> bytes:
    """Return X25519(scalar, point) of another implementation; zeros for a point of small order."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415 - slow to load
        X25519PrivateKey,
        X25519PublicKey,
    )

    try:
        return X25519PrivateKey.from_private_bytes(scalar).exchange(
            X25519PublicKey.from_public_bytes(point)
        )
    except ValueError:  # so it says that the result is zero
        return bytes(SIZE)


def points(draw: Draw) -> Iterator[tuple[str, bytes]]:
    """Yield u coordinates that need care, with what is special about them."""
    for u in (0, 1, P - 1, *ORDER_8):
        yield "of small order", _bytes(u)
        yield "of small order, with the top bit set", _bytes(u | 1 << 255)
    for u in range(P, 2**255):
        yield "that is not reduced", _bytes(u)
    for u in (P, P + 1, P + 9, 2**255 - 1):
        yield "that is not reduced, with the top bit set", _bytes(u | 1 << 255)
    for u in (2, 3, 4, 9, 16, P - 2, P - 9, 2**51, 2**102, 2**128, 2**204, 2**254, 2**255 - 20):
        yield "near an end or a limb", _bytes(u)
    for at in range(SIZE):
        data = bytearray(draw(SIZE))
        data[at] = 0xFF
        data[(at + 1) % SIZE] = 0xFF
        yield f"with ff in bytes {at} and {(at + 1) % SIZE}", bytes(data)
    for size in (4, 8, 16, 28):
        yield f"that ends in {size} bytes ff", draw(SIZE - size) + b"\xff" * size
        yield f"that ends in {size} bytes 00", draw(SIZE - size) + bytes(size)
        yield f"that begins with {size} bytes ff", b"\xff" * size + draw(SIZE - size)
        yield f"that begins with {size} bytes 00", bytes(size) + draw(SIZE - size)


def scalars(draw: Draw) -> Iterator[tuple[str, bytes]]:
    """Yield secret keys that need care."""
    for value in (0x00, 0xFF, 0x55, 0xAA, 0x80, 0x01):
        yield f"of bytes {value:02x}", bytes([value]) * SIZE
    for bit in range(0, 256, 17):
        yield f"with the bit {bit} alone", _bytes(1 << bit)
    for size in (2, 8, 16, 24):
        yield f"that ends in {size} bytes ff", draw(SIZE - size) + b"\xff" * size
        yield f"that ends in {size} bytes 00", draw(SIZE - size) + bytes(size)


def with_ends(draw: Draw) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield results near 0 and near p, each with a secret key and the point that it makes it of.

    A result whose order is none of the two primes is left out: no point gives it.
    """
    for result in FOR_A_RESULT:
        for order in ORDERS:
            for _ in range(AGAIN):
                scalar, inverse = _inverses(draw, order)
                point = exchange(inverse, _bytes(result))
                if exchange(scalar, point) != _bytes(result):
                    break
                yield result, scalar, point


def _inverses(draw: Draw, order: int) -> tuple[bytes, bytes]:
    """Return two numbers that X25519 takes as they are, whose product is 1 modulo an order."""
    while True:  # one of two, or of four, will do
        scalar = SCALARS.start | int.from_bytes(draw(SIZE), "little") % SCALARS.start & -8
        inverse = pow(scalar, -1, order)
        inverse += order * (-inverse * pow(order, -1, 8) % 8)
        inverse += -(-max(0, SCALARS.start - inverse) // (8 * order)) * 8 * order
        if inverse in SCALARS:
            return _bytes(scalar), _bytes(inverse)


def _bytes(value: int) -> bytes:
    return value.to_bytes(SIZE, "little")
