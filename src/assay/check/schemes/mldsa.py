# SPDX-License-Identifier: MIT
"""ML-DSA in integers (FIPS 204), and signatures that it refuses although their challenge is right.

Polynomials are arrays of 256 coefficients modulo Q; those of a vector stand in rows. Products are
taken of values at the roots of X^256 + 1, which is the domain in which algorithm 30 draws A.
"""

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import shake_128, shake_256

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.check.schemes.curve25519 import Refused

Q, N, ROOT, D = 8380417, 256, 1753, 13
SEED = 32
MU_BYTES = 64
STREAM_BYTES = 2048  # of SHAKE, of which one polynomial takes far less
TRIES = 10_000  # signatures of which about one in a hundred is wanted
WAYS = 6  # to write a hint otherwise, which not all hints allow
PLAIN = bytes(2)  # before a message that is signed whole, without a context

Array = NDArray[np.int64]
Draw = Callable[[int], bytes]


class Parameters(Struct, frozen=True):
    """A row of table 1: sizes of A, bounds, and the bytes of a challenge."""

    rows: int
    columns: int
    eta: int
    tau: int
    gamma_1: int
    gamma_2: int
    omega: int
    challenge_bytes: int

    @property
    def beta(self) -> int:
        """The largest coefficient of a challenge times a secret."""
        return self.tau * self.eta


PARAMETERS = {
    "mldsa44": Parameters(4, 4, 2, 39, 1 << 17, (Q - 1) // 88, 80, 32),
    "mldsa65": Parameters(6, 5, 4, 49, 1 << 19, (Q - 1) // 32, 55, 48),
    "mldsa87": Parameters(8, 7, 2, 60, 1 << 19, (Q - 1) // 32, 75, 64),
}


@cache
def _values() -> tuple[Array, Array]:
    """Return the matrix that takes a polynomial to its values (algorithm 41), and its inverse."""
    exponents = [int(f"{128 + at:08b}"[::-1], 2) for at in range(N // 2)]
    points = [sign * pow(ROOT, one, Q) % Q for one in exponents for sign in (1, -1)]
    there = [[pow(point, at, Q) for at in range(N)] for point in points]
    back = [[pow(point, -at, Q) * pow(N, -1, Q) % Q for point in points] for at in range(N)]
    return np.array(there), np.array(back)


def _at_roots(polynomials: Array) -> Array:
    return polynomials % Q @ _values()[0].T % Q


def _from_roots(values: Array) -> Array:
    return values @ _values()[1].T % Q


def _centred(values: Array) -> Array:
    """Return what is closest to 0 of what each number may stand for."""
    return (values + Q // 2) % Q - Q // 2


def _pack(values: Array, bits: int) -> bytes:
    """Return so many bits of each number, the lowest first (algorithm 16)."""
    taken = values.reshape(-1, 1) >> np.arange(bits) & 1
    return np.packbits(taken.astype(np.uint8).reshape(-1), bitorder="little").tobytes()


def _uniform(seed: bytes) -> list[int]:
    """Draw values below Q (algorithms 14 and 30)."""
    stream = np.frombuffer(shake_128(seed).digest(3 * STREAM_BYTES), np.uint8).reshape(-1, 3)
    numbers = stream.astype(np.int64) @ np.array([1, 1 << 8, 1 << 16]) & (1 << 23) - 1
    return [int(one) for one in numbers[numbers < Q][:N]]


def _short(seed: bytes, eta: int) -> list[int]:
    """Draw coefficients of a secret (algorithms 15 and 31)."""
    stream = shake_256(seed).digest(STREAM_BYTES)
    halves = [half for byte in stream for half in (byte & 15, byte >> 4)]
    most, kinds = (15, 5) if eta == 2 else (9, 9)
    return [eta - one % kinds for one in halves if one < most][:N]


class SigningKey:
    """A key pair of a seed (algorithm 6), whose signatures may be wrong in one respect."""

    def __init__(self, parameters: Parameters, seed: bytes) -> None:
        """Draw A and the secrets."""
        self.parameters = given = parameters
        drawn = shake_256(seed + bytes([given.rows, given.columns])).digest(128)
        rho, secret = drawn[:SEED], drawn[SEED : 3 * SEED]
        cells = [
            [_uniform(rho + bytes([column, row])) for column in range(given.columns)]
            for row in range(given.rows)
        ]
        short = [
            _short(secret + at.to_bytes(2, "little"), given.eta)
            for at in range(given.columns + given.rows)
        ]
        self._matrix = np.array(cells)
        self._s1, self._s2 = (
            np.array(part) for part in (short[: given.columns], short[given.columns :])
        )
        t = (self._times(_at_roots(self._s1)) + self._s2) % Q
        high = t + (1 << D - 1) - 1 >> D
        self._t0 = t - (high << D)
        self.public = rho + _pack(high, 10)

    def _times(self, values: Array) -> Array:
        """Return A times a vector that is given by its values."""
        return _from_roots((self._matrix * values % Q).sum(axis=1) % Q)

    def sign(self, draw: Draw, message: bytes, largest: int | None = None) -> bytes:
        """Return a signature (algorithm 7); its z is exactly as large as `largest`, if given."""
        given = self.parameters
        bound = given.gamma_1 - given.beta
        mu = shake_256(shake_256(self.public).digest(64) + PLAIN + message).digest(MU_BYTES)
        for _ in range(TRIES):
            y = _below(draw, (given.columns, N), bound - given.beta if largest else given.gamma_1)
            if largest:
                y[0, draw(1)[0]] = largest * (1 - 2 * (draw(1)[0] & 1))
            w = self._times(_at_roots(y))
            packed = _pack(self._high(w)[0], ((Q - 1) // (2 * given.gamma_2) - 1).bit_length())
            challenge = shake_256(mu + packed).digest(given.challenge_bytes)
            c = _at_roots(_ball(challenge, given.tau))
            z = y + _centred(_from_roots(c * _at_roots(self._s1) % Q))
            size = int(np.abs(z).max())
            if size == largest or (largest is None and size < bound):
                rest = w - _from_roots(c * _at_roots(self._s2) % Q)
                hint = self._hint(rest, _centred(_from_roots(c * _at_roots(self._t0) % Q)))
                if hint is not None:
                    bits = given.gamma_1.bit_length()
                    return challenge + _pack(given.gamma_1 - z, bits) + hint
        raise AssertionError("about one try in a hundred is right")

    def _high(self, values: Array) -> tuple[Array, Array]:
        """Return the high and the low part of each coefficient (algorithm 36)."""
        twice = 2 * self.parameters.gamma_2
        low = (values % Q + self.parameters.gamma_2 - 1) % twice - self.parameters.gamma_2 + 1
        high = (values % Q - low) // twice
        wrapped = values % Q - low == Q - 1
        return np.where(wrapped, 0, high), low - wrapped

    def _hint(self, rest: Array, more: Array) -> bytes | None:
        """Return the places at which the high part changes (algorithm 20); None if it is none."""
        given = self.parameters
        _, low = self._high(rest)
        ones = self._high(rest)[0] != self._high(rest + more)[0]
        wrong = np.abs(low).max() >= given.gamma_2 - given.beta
        if wrong or np.abs(more).max() >= given.gamma_2 or ones.sum() > given.omega:
            return None
        places = [int(at) for row in ones for at in np.flatnonzero(row)]
        ends = [int(one) for one in ones.sum(axis=1).cumsum()]
        return bytes([*places, *[0] * (given.omega - len(places)), *ends])


def _below(draw: Draw, shape: tuple[int, int], bound: int) -> Array:
    """Return random coefficients of more than -bound, and not above it."""
    numbers = np.frombuffer(draw(4 * shape[0] * shape[1]), "<u4").astype(np.int64)
    drawn: Array = (bound - numbers % (2 * bound)).reshape(shape)
    return drawn


def _ball(seed: bytes, tau: int) -> Array:
    """Draw a challenge: so many coefficients are 1 or -1 (algorithm 29)."""
    stream = shake_256(seed).digest(STREAM_BYTES)
    signs, later = int.from_bytes(stream[:8], "little"), iter(stream[8:])
    found: Array = np.zeros(N, np.int64)
    for at in range(N - tau, N):
        place = next(one for one in later if one <= at)
        found[at] = found[place]
        found[place] = 1 - 2 * (signs >> at + tau - N & 1)
    return found


def accepted(parameters: Parameters, draw: Draw) -> Iterator[Refused]:
    """Yield signatures that are right: any one, and one whose z is as large as it may be."""
    key, message = SigningKey(parameters, draw(SEED)), draw(37)
    largest = parameters.gamma_1 - parameters.beta - 1
    yield Refused("any signature", key.public, key.sign(draw, message), message)
    wide = key.sign(draw, message, largest)
    yield Refused("a z of gamma_1 - beta - 1", key.public, wide, message)


def refused(parameters: Parameters, draw: Draw) -> Iterator[Refused]:
    """Yield signatures that are wrong in one respect: z is too large, or the hint another."""
    key, message = SigningKey(parameters, draw(SEED)), draw(37)
    wide = key.sign(draw, message, parameters.gamma_1 - parameters.beta)
    yield Refused("a z of gamma_1 - beta", key.public, wide, message)
    while True:
        good = key.sign(draw, message)
        hint = good[-parameters.omega - parameters.rows :]
        others = tuple(other_hints(hint, parameters))
        if len({about for about, _ in others}) == WAYS:
            break
    for about, other in others:
        changed = good[: -len(hint)] + other
        yield Refused(f"a hint {about}", key.public, changed, message)


def other_hints(hint: bytes, parameters: Parameters) -> Iterator[tuple[str, bytes]]:
    """Yield the same hint as algorithm 21 refuses it: places that do not ascend, wrong ends."""
    omega = parameters.omega
    places, ends = hint[:omega], hint[omega:]
    first = 0
    for row, end in enumerate(ends):
        mine = places[first:end]
        if len(mine) > 1:
            swapped = bytes([mine[1], mine[0], *mine[2:]])
            yield "whose places do not ascend", places[:first] + swapped + hint[end:]
        if mine and ends[-1] < omega:
            longer = places[:end] + mine[-1:] + places[end : omega - 1]
            later = bytes(one + (at >= row) for at, one in enumerate(ends))
            yield "with a place twice", longer + later
        first = end
    if ends[-1] < omega:
        yield "with a place behind the last", places[: omega - 1] + b"\x01" + ends
    for end in (omega + 1, 255):
        yield f"with an end of {end}", places + ends[:-1] + bytes([end])
    if ends[-2]:
        yield "whose ends descend", places + ends[:-1] + bytes([ends[-2] - 1])
