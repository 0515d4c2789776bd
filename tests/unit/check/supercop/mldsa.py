# SPDX-License-Identifier: MIT
"""ML-DSA-44 in Python numbers, from FIPS 204; nothing here calls the code that Assay ships."""

import hashlib

from tests.unit.check.supercop.conftest import Functions, Generator, Pointer

Q, N, D, TAU, ETA, BETA, OMEGA = 8380417, 256, 13, 39, 2, 78, 80
K = L = 4
GAMMA1, GAMMA2 = 1 << 17, (Q - 1) // 88
SIGNATURE, REFUSED = 2420, -1

Poly = list[int]


def _reversed(number: int, bits: int) -> int:
    return int(format(number, f"0{bits}b")[::-1], 2)


ZETAS = [pow(1753, _reversed(i, 8), Q) for i in range(N)]


def shake256(data: bytes, length: int) -> bytes:
    """Return H of the standard."""
    return hashlib.shake_256(data).digest(length)


def ntt(f: Poly) -> Poly:
    """Transform a polynomial (algorithm 41)."""
    f, m = f[:], 0
    for size in (128, 64, 32, 16, 8, 4, 2, 1):
        for start in range(0, N, 2 * size):
            m += 1
            for j in range(start, start + size):
                t = ZETAS[m] * f[j + size] % Q
                f[j + size], f[j] = (f[j] - t) % Q, (f[j] + t) % Q
    return f


def inverse_ntt(f: Poly) -> Poly:
    """Transform it back (algorithm 42)."""
    f, m = f[:], 256
    for size in (1, 2, 4, 8, 16, 32, 64, 128):
        for start in range(0, N, 2 * size):
            m -= 1
            for j in range(start, start + size):
                t = f[j]
                f[j], f[j + size] = (t + f[j + size]) % Q, -ZETAS[m] * (t - f[j + size]) % Q
    return [x * 8347681 % Q for x in f]


def packed(values: Poly, bits: int) -> bytes:
    """Pack non-negative numbers (algorithm 16)."""
    whole = sum(value << bits * i for i, value in enumerate(values))
    return whole.to_bytes(32 * bits, "little")


def unpacked(data: bytes, bits: int) -> Poly:
    """Unpack them (algorithm 18)."""
    whole = int.from_bytes(data, "little")
    return [whole >> bits * i & (1 << bits) - 1 for i in range(N)]


def around_zero(x: int, modulus: int = Q) -> int:
    """Return x modulo an even or odd number, in the range around 0 (section 2.3)."""
    x %= modulus
    return x - modulus if x > modulus // 2 else x


def entry(rho: bytes, row: int, column: int) -> Poly:
    """Sample an entry of the matrix, in the domain of the transform (algorithm 30)."""
    stream, found = hashlib.shake_128(rho + bytes([column, row])).digest(1344), []
    for at in range(0, len(stream), 3):
        number = int.from_bytes(stream[at : at + 3], "little") & 0x7FFFFF
        if number < Q:
            found.append(number)
    return found[:N]


def secret(seed: bytes, number: int) -> Poly:
    """Sample a small polynomial (algorithm 31)."""
    stream = shake256(seed + number.to_bytes(2, "little"), 512)
    halves = (half for byte in stream for half in (byte & 15, byte >> 4))
    return [ETA - half % 5 for half in halves if half < 15][:N]


def mask(seed: bytes, number: int) -> Poly:
    """Sample a polynomial of y (algorithm 34)."""
    stream = shake256(seed + number.to_bytes(2, "little"), 576)
    return [GAMMA1 - x for x in unpacked(stream, 18)]


def challenge(seed: bytes) -> Poly:
    """Sample a polynomial of 39 coefficients that are 1 or -1 (algorithm 29)."""
    stream = iter(shake256(seed, 2048))
    signs = int.from_bytes(bytes(next(stream) for _ in range(8)), "little")
    c = [0] * N
    for i in range(N - TAU, N):
        j = next(byte for byte in stream if byte <= i)
        c[i], c[j] = c[j], 1 - 2 * (signs >> i - (N - TAU) & 1)
    return c


def decomposed(r: int) -> tuple[int, int]:
    """Return high and low bits (algorithm 36)."""
    r %= Q
    low = around_zero(r, 2 * GAMMA2)
    return (0, low - 1) if r - low == Q - 1 else ((r - low) // (2 * GAMMA2), low)


def product(rho: bytes, vector: list[Poly]) -> list[Poly]:
    """Multiply the matrix by a transformed vector; the result is no longer transformed."""
    rows = []
    for i in range(K):
        entries = [entry(rho, i, j) for j in range(L)]
        pairs = [list(zip(a, v, strict=True)) for a, v in zip(entries, vector, strict=True)]
        rows.append(inverse_ntt([sum(a * v for a, v in terms) % Q for terms in zip(*pairs)]))  # noqa: B905
    return rows


def times(c: Poly, transformed: Poly) -> Poly:
    """Multiply two transformed polynomials, and transform back."""
    return inverse_ntt([a * b % Q for a, b in zip(c, transformed, strict=True)])


def added(a: Poly, b: Poly, sign: int = 1) -> Poly:
    """Add or subtract."""
    return [(x + sign * y) % Q for x, y in zip(a, b, strict=True)]


def largest(vector: list[Poly]) -> int:
    """Return the infinity norm."""
    return max(abs(around_zero(x)) for f in vector for x in f)


def keypair(xi: bytes) -> tuple[bytes, bytes]:
    """Return public and secret key (algorithm 6)."""
    seeds = shake256(xi + bytes([K, L]), 128)
    rho, seed, hedge = seeds[:32], seeds[32:96], seeds[96:]
    s1, s2 = [secret(seed, i) for i in range(L)], [secret(seed, L + i) for i in range(K)]
    t = [added(f, s) for f, s in zip(product(rho, [ntt(f) for f in s1]), s2, strict=True)]
    low = [[around_zero(x, 1 << D) for x in f] for f in t]
    high = [[(x - y) >> D for x, y in zip(f, g, strict=True)] for f, g in zip(t, low, strict=True)]
    public = rho + b"".join(packed(f, 10) for f in high)
    small = b"".join(packed([ETA - x for x in f], 3) for f in s1 + s2)
    rest = b"".join(packed([(1 << D - 1) - x for x in f], 13) for f in low)
    return public, rho + hedge + shake256(public, 64) + small + rest


def _vector(data: bytes, bits: int, most: int) -> list[Poly]:
    size = 32 * bits
    parts = (data[at : at + size] for at in range(0, len(data), size))
    return [ntt([most - x for x in unpacked(part, bits)]) for part in parts]


def signature(sk: bytes, message: bytes, rnd: bytes) -> bytes:
    """Sign with an empty context (algorithms 2 and 7)."""
    rho, hedge, tr = sk[:32], sk[32:64], sk[64:128]
    s1, s2 = _vector(sk[128:512], 3, ETA), _vector(sk[512:896], 3, ETA)
    t0 = _vector(sk[896:], 13, 1 << D - 1)
    mu = shake256(tr + bytes(2) + message, 64)
    seed = shake256(hedge + rnd + mu, 64)
    for kappa in range(0, 1 << 16, L):
        y = [mask(seed, kappa + j) for j in range(L)]
        w = product(rho, [ntt(f) for f in y])
        high = b"".join(packed([decomposed(x)[0] for x in f], 6) for f in w)
        first = shake256(mu + high, 32)
        c = ntt(challenge(first))
        z = [added(f, times(c, s)) for f, s in zip(y, s1, strict=True)]
        left = [added(f, times(c, s), -1) for f, s in zip(w, s2, strict=True)]
        low = [[decomposed(x)[1] for x in f] for f in left]
        more = [times(c, t) for t in t0]
        if largest(z) >= GAMMA1 - BETA or largest(low) >= GAMMA2 - BETA:
            continue
        if largest(more) >= GAMMA2 or (hint := _hint(left, more)) is None:
            continue
        text = b"".join(packed([GAMMA1 - around_zero(x) for x in f], 18) for f in z)
        return first + text + hint
    raise AssertionError


def _hint(left: list[Poly], more: list[Poly]) -> bytes | None:
    places, ends = b"", b""
    for f, g in zip(left, more, strict=True):
        both = zip(f, added(f, g), strict=True)
        places += bytes(i for i, (x, y) in enumerate(both) if decomposed(x)[0] != decomposed(y)[0])
        ends += bytes([min(255, len(places))])
    return places.ljust(OMEGA, b"\0") + ends if len(places) <= OMEGA else None


def _ones(hint: bytes) -> list[bytes] | None:
    """Return the places of the ones of each row (algorithm 21); None for what is no hint."""
    rows, at = [], 0
    for end in hint[OMEGA:]:
        if not at <= end <= OMEGA:
            return None
        rows.append(hint[at:end])
        at = end
    ascending = all(row == bytes(sorted(set(row))) for row in rows)
    return rows if ascending and not any(hint[at:OMEGA]) else None


def _used(x: int, one: bool) -> int:
    high, low = decomposed(x)
    return (high + (1 if low > 0 else -1)) % 44 if one else high


def is_signature(pk: bytes, message: bytes, sig: bytes) -> bool:
    """Verify with an empty context (algorithms 3 and 8)."""
    first, hint = sig[:32], _ones(sig[2336:])
    parts = (sig[32 + 576 * j : 608 + 576 * j] for j in range(L))
    z = [[GAMMA1 - x for x in unpacked(part, 18)] for part in parts]
    if hint is None or largest(z) >= GAMMA1 - BETA:
        return False
    mu = shake256(shake256(pk, 64) + bytes(2) + message, 64)
    c, high = ntt(challenge(first)), b""
    for i, row in enumerate(product(pk[:32], [ntt(f) for f in z])):
        t = ntt([x << D for x in unpacked(pk[32 + 320 * i : 352 + 320 * i], 10)])
        w = added(row, times(c, t), -1)
        high += packed([_used(x, n in hint[i]) for n, x in enumerate(w)], 6)
    return shake256(mu + high, 32) == first


def sign_keypair(pk: Pointer, sk: Pointer, *, random: Generator) -> int:
    """Be crypto_sign_keypair."""
    public, private = keypair(random.take(32))
    pk.write(public)
    sk.write(private)
    return 0


def sign(
    sm: Pointer, size: list[int], m: Pointer, length: int, sk: Pointer, *, random: Generator
) -> int:
    """Be crypto_sign, hedged."""
    message = m.read(length)
    sm.write(signature(sk.read(2560), message, random.take(32)) + message)
    size[0] = length + SIGNATURE
    return 0


def sign_open(m: Pointer, size: list[int], sm: Pointer, length: int, pk: Pointer) -> int:
    """Be crypto_sign_open; the room behind the message becomes 0, and all of a forged one."""
    signed, size[0] = sm.read(length), 0
    message = signed[SIGNATURE:]
    if length < SIGNATURE:
        return REFUSED
    if not is_signature(pk.read(1312), message, signed[:SIGNATURE]):
        m.write(bytes(length))
        return REFUSED
    m.write(message.ljust(length, b"\0"))
    size[0] = len(message)
    return 0


SIGNS: Functions = {"_keypair": sign_keypair, "": sign, "_open": sign_open}
DRAWING = frozenset({"_keypair", ""})
CONSTANTS = {"BYTES": SIGNATURE, "PUBLICKEYBYTES": 1312, "SECRETKEYBYTES": 2560}
