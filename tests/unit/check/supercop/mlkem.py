# SPDX-License-Identifier: MIT
"""ML-KEM-768 in Python numbers, from FIPS 203; nothing here calls the code that Assay ships."""

import hashlib

Q, N, K, DU, DV = 3329, 256, 3, 10, 4

Poly = list[int]


def _reversed(number: int) -> int:
    return int(format(number, "07b")[::-1], 2)


ZETAS = [pow(17, _reversed(i), Q) for i in range(128)]
GAMMAS = [pow(17, 2 * _reversed(i) + 1, Q) for i in range(128)]


def ntt(f: Poly) -> Poly:
    """Transform a polynomial (algorithm 9)."""
    f, i = f[:], 0
    for size in (128, 64, 32, 16, 8, 4, 2):
        for start in range(0, N, 2 * size):
            i += 1
            for j in range(start, start + size):
                t = ZETAS[i] * f[j + size] % Q
                f[j + size], f[j] = (f[j] - t) % Q, (f[j] + t) % Q
    return f


def inverse_ntt(f: Poly) -> Poly:
    """Transform it back (algorithm 10)."""
    f, i = f[:], 128
    for size in (2, 4, 8, 16, 32, 64, 128):
        for start in range(0, N, 2 * size):
            i -= 1
            for j in range(start, start + size):
                t = f[j]
                f[j], f[j + size] = (t + f[j + size]) % Q, ZETAS[i] * (f[j + size] - t) % Q
    return [x * 3303 % Q for x in f]


def inner(a: list[Poly], b: list[Poly]) -> Poly:
    """Return the sum of the products of transformed polynomials (algorithms 11 and 12)."""
    total = [0] * N
    for f, g in zip(a, b, strict=True):
        for i, gamma in enumerate(GAMMAS):
            (f0, f1), (g0, g1) = f[2 * i : 2 * i + 2], g[2 * i : 2 * i + 2]
            total[2 * i] += f0 * g0 + f1 * g1 * gamma
            total[2 * i + 1] += f0 * g1 + f1 * g0
    return [x % Q for x in total]


def encoded(values: Poly, bits: int) -> bytes:
    """Pack numbers (algorithm 5)."""
    whole = sum(value << bits * i for i, value in enumerate(values))
    return whole.to_bytes(32 * bits, "little")


def decoded(data: bytes, bits: int) -> list[Poly]:
    """Unpack vectors of them (algorithm 6)."""
    parts = (data[at : at + 32 * bits] for at in range(0, len(data), 32 * bits))
    whole = [int.from_bytes(part, "little") for part in parts]
    return [[x >> bits * i & (1 << bits) - 1 for i in range(N)] for x in whole]


def compressed(f: Poly, bits: int) -> Poly:
    """Round to so many bits (section 4.2.1)."""
    return [((x << bits + 1) + Q) // (2 * Q) % (1 << bits) for x in f]


def decompressed(f: Poly, bits: int) -> Poly:
    """Return the middle of what is rounded so."""
    return [(2 * Q * x + (1 << bits)) >> bits + 1 for x in f]


def entry(rho: bytes, i: int, j: int) -> Poly:
    """Sample an entry of the matrix (algorithm 7)."""
    stream, found = hashlib.shake_128(rho + bytes([j, i])).digest(1344), []
    for at in range(0, len(stream), 3):
        number = int.from_bytes(stream[at : at + 3], "little")
        found += [x for x in (number & 0xFFF, number >> 12) if x < Q]
    return found[:N]


def noise(seed: bytes, number: int) -> Poly:
    """Sample a small polynomial (algorithm 8)."""
    bits = int.from_bytes(hashlib.shake_256(seed + bytes([number])).digest(128), "little")
    four = [bits >> 4 * i & 15 for i in range(N)]
    return [((x & 1) + (x >> 1 & 1) - (x >> 2 & 1) - (x >> 3)) % Q for x in four]


def added(*several: Poly) -> Poly:
    """Add."""
    return [sum(x) % Q for x in zip(*several, strict=True)]


def keypair(d: bytes, z: bytes) -> tuple[bytes, bytes]:
    """Return both keys (algorithms 13 and 16)."""
    seeds = hashlib.sha3_512(d + bytes([K])).digest()
    rho, sigma = seeds[:32], seeds[32:]
    s = [ntt(noise(sigma, i)) for i in range(K)]
    t = [
        added(inner([entry(rho, i, j) for j in range(K)], s), ntt(noise(sigma, K + i)))
        for i in range(K)
    ]
    public = b"".join(encoded(f, 12) for f in t) + rho
    private = b"".join(encoded(f, 12) for f in s)
    return public, private + public + hashlib.sha3_256(public).digest() + z


def encrypted(ek: bytes, m: bytes, r: bytes) -> bytes:
    """Be K-PKE.Encrypt (algorithm 14)."""
    t, rho = decoded(ek[:-32], 12), ek[-32:]
    y = [ntt(noise(r, i)) for i in range(K)]
    text = b""
    for i in range(K):
        u = inverse_ntt(inner([entry(rho, j, i) for j in range(K)], y))
        text += encoded(compressed(added(u, noise(r, K + i)), DU), DU)
    message = decompressed(decoded(m, 1)[0], 1)
    v = added(inverse_ntt(inner(t, y)), noise(r, 2 * K), message)
    return text + encoded(compressed(v, DV), DV)


def decrypted(dk: bytes, c: bytes) -> bytes:
    """Be K-PKE.Decrypt (algorithm 15)."""
    u = [ntt(decompressed(f, DU)) for f in decoded(c[: 32 * DU * K], DU)]
    v = decompressed(decoded(c[32 * DU * K :], DV)[0], DV)
    w = inverse_ntt(inner(decoded(dk[: 384 * K], 12), u))
    return encoded(compressed([(a - b) % Q for a, b in zip(v, w, strict=True)], 1), 1)


def encapsulated(ek: bytes, m: bytes) -> tuple[bytes, bytes]:
    """Return ciphertext and shared secret (algorithm 17)."""
    both = hashlib.sha3_512(m + hashlib.sha3_256(ek).digest()).digest()
    return encrypted(ek, m, both[32:]), both[:32]


def decapsulated(dk: bytes, c: bytes) -> bytes:
    """Return the shared secret, or a pseudorandom one (algorithm 18)."""
    ek, digest, z = dk[384 * K : -64], dk[-64:-32], dk[-32:]
    m = decrypted(dk, c)
    both = hashlib.sha3_512(m + digest).digest()
    if encrypted(ek, m, both[32:]) == c:
        return both[:32]
    return hashlib.shake_256(z + c).digest(32)
