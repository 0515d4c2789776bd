# SPDX-License-Identifier: MIT
"""Signatures of Ed25519 that RFC 8032 refuses, and why each is none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.check.schemes.ed25519 import (
    NEUTRAL,
    SIGN,
    SIZE,
    L,
    P,
    Point,
    SecretKey,
    add,
    base,
    challenge,
    decode,
    encode,
    multiply,
    respond,
)

Draw = Callable[[int], bytes]
UNDECODABLE = 8  # public keys at random
ORDER = 8  # of points of small order, or a divisor


@dataclass(frozen=True, slots=True)
class Refused:
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
