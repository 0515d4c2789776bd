# SPDX-License-Identifier: MIT
"""X25519 (RFC 7748) of another implementation, and inputs of which few random ones are like.

Among them are points whose multiple is next to 0 or to p, which is 2^255 - 19. Code whose last
reduction begins too late or too early is right for random points, but for one in 2^250.
"""

from collections.abc import Callable, Iterator

Draw = Callable[[int], bytes]

P = 2**255 - 19
SIZE = 32
ORDER_8 = (
    0x00B8495F16056286FDB1329CEB8D09DA6AC49FF1FAE35616AEB8413B7C7AEBE0,
    0x57119FD0DD4E22D8868E1C58C45C44045BEF839C55B1D0B1248C50A3BC959C5F,
)
"""The u of all points of order 8 on the curve; 0, 1 and -1 are those of orders 2 and 4."""


def multiply(scalar: bytes, point: bytes) -> bytes:
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


ORDERS = (
    2**252 + 27742317777372353535851937790883648493,
    2**253 - 55484635554744707071703875581767296995,
)
"""The primes in the orders of the curve (RFC 7748, section 4.1) and of its twist."""
FOR_A_RESULT = (*range(2, 19), *(P - one for one in range(2, 19)))
AGAIN = 3  # secret keys for each result
SCALARS = range(1 << 254, 1 << 255)  # the multiples of 8 among them are left as they are


def with_ends(draw: Draw) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield results near 0 and near p, each with a secret key and the point that it makes it of.

    A result whose order is none of the two primes is left out: no point gives it.
    """
    for result in FOR_A_RESULT:
        for order in ORDERS:
            for _ in range(AGAIN):
                scalar, inverse = _inverses(draw, order)
                point = multiply(inverse, _bytes(result))
                if multiply(scalar, point) != _bytes(result):
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
