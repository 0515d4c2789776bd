/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ML-KEM-768 (FIPS 203) in little memory: nothing of the matrix, of the noise or of the
 * ciphertext is kept. What a sponge or a key gives is used coefficient by coefficient, and a
 * ciphertext is compared while it is made again. One vector and two polynomials remain.
 *
 * An encapsulation key is ByteEncode12(t), rho; a decapsulation key is ByteEncode12(s), the
 * encapsulation key, its hash, z. Outputs may be inputs. Coefficients are in 0 ... q-1.
 */
#include <string.h>

#include "crypto_declassify.h"
#include "crypto_kem.h"
#include "keccak.h"
#include "randombytes.h"

enum { Q = 3329, N = 256, K = 3, DU = 10, DV = 4, POLY = 384, VECTOR = K * POLY };
enum { EK = VECTOR + 32, C = 1088 };

typedef uint16_t poly[N];

/* Bits from or for bytes, the least significant ones first. */
typedef struct {
    uint32_t bits;
    int have;
} packer;

/* floor(x / q) without a division, exact for x < 41522341: 20642679 q = 2^36 + 1655. */
static uint32_t quotient(uint32_t x)
{
    return (uint32_t)((uint64_t)x * 20642679 >> 36);
}

static uint16_t reduce(uint32_t x)
{
    return (uint16_t)(x - Q * quotient(x));
}

/* x mod q for x < 2q */
static uint16_t reduce_once(uint32_t x)
{
    const uint32_t t = x - Q;

    return (uint16_t)(t + (Q & (0u - (t >> 31))));
}

static uint16_t subtract(uint32_t a, uint32_t b)
{
    return reduce_once(a + Q - b);
}

/* 17^BitRev7(i) mod q: bit j of i stands for 17^(2^(6-j)). */
static uint32_t zeta(unsigned int i)
{
    static const uint16_t powers[7] = {1729, 2580, 2642, 1062, 296, 289, 17};
    uint32_t value = 1;

    for (int j = 0; j < 7; ++j)
        if (i >> j & 1)
            value = reduce(value * powers[j]);
    return value;
}

/* Algorithm 9 */
static void ntt(poly f)
{
    unsigned int i = 1;

    for (int length = 128; length >= 2; length /= 2)
        for (int start = 0; start < N; start += 2 * length) {
            const uint32_t z = zeta(i++);
            for (int j = start; j < start + length; ++j) {
                const uint32_t t = reduce(z * f[j + length]);
                f[j + length] = subtract(f[j], t);
                f[j] = reduce_once(f[j] + t);
            }
        }
}

/* Algorithm 10 */
static void inverse_ntt(poly f)
{
    unsigned int i = 127;

    for (int length = 2; length <= 128; length *= 2)
        for (int start = 0; start < N; start += 2 * length) {
            const uint32_t z = zeta(i--);
            for (int j = start; j < start + length; ++j) {
                const uint32_t t = f[j];
                f[j] = reduce_once(t + f[j + length]);
                f[j + length] = reduce(z * subtract(f[j + length], t));
            }
        }
    for (int j = 0; j < N; ++j)
        f[j] = reduce(f[j] * 3303u); /* 1/128 */
}

/* f += a b for a pair of coefficients: algorithm 12 */
static void add_product(poly f, int i, const uint16_t a[2], const uint16_t b[2])
{
    const uint32_t z = zeta(64 + (unsigned int)i / 2), gamma = (i & 1) ? Q - z : z;

    f[2 * i] = reduce(f[2 * i] + (uint32_t)a[0] * b[0] + reduce((uint32_t)a[1] * b[1]) * gamma);
    f[2 * i + 1] = reduce(f[2 * i + 1] + (uint32_t)a[0] * b[1] + (uint32_t)a[1] * b[0]);
}

/* A sponge that has taken in 32 bytes and one or two more. */
static void start(keccak *k, unsigned int rate, const unsigned char seed[32],
                  const unsigned char *more, size_t length)
{
    keccak_start(k, rate);
    keccak_absorb(k, seed, 32);
    keccak_absorb(k, more, length);
    keccak_finish(k, SHAKE_SUFFIX);
}

/* f += A[i][j] b: algorithm 7, of which each pair is used at once */
static void add_entry(poly f, const unsigned char rho[32], int i, int j, const poly b)
{
    const unsigned char place[2] = {(unsigned char)j, (unsigned char)i};
    unsigned char bytes[3];
    uint16_t pair[2], d[2];
    keccak k;
    int n = 0;

    start(&k, SHAKE128_RATE, rho, place, 2);
    while (n < N) {
        keccak_squeeze(&k, bytes, 3);
        d[0] = (uint16_t)(bytes[0] + 256 * (bytes[1] % 16));
        d[1] = (uint16_t)(bytes[1] / 16 + 16 * bytes[2]);
        for (int at = 0; at < 2 && n < N; ++at)
            if (d[at] < Q) {
                pair[n % 2] = d[at];
                if (++n % 2 == 0)
                    add_product(f, n / 2 - 1, pair, b + n - 2);
            }
    }
}

/* f += SamplePolyCBD_2(PRF_2(seed, n)): algorithm 8 */
static void add_noise(poly f, const unsigned char seed[32], int n)
{
    const unsigned char number = (unsigned char)n;
    unsigned char byte = 0;
    keccak k;

    start(&k, SHAKE256_RATE, seed, &number, 1);
    for (int i = 0; i < N; ++i) {
        if (i % 2 == 0)
            keccak_squeeze(&k, &byte, 1);
        const uint32_t b = byte >> (4 * (i & 1));
        const uint32_t e = (b & 1) + (b >> 1 & 1) - (b >> 2 & 1) - (b >> 3 & 1);
        f[i] = reduce(f[i] + Q + e);
    }
}

/* The next d bits of some bytes */
static uint16_t take(packer *p, const unsigned char **in, int d)
{
    uint16_t value;

    for (; p->have < d; p->have += 8)
        p->bits |= (uint32_t)*(*in)++ << p->have;
    value = (uint16_t)(p->bits & ((1u << d) - 1));
    p->bits >>= d;
    p->have -= d;
    return value;
}

/* ByteDecode12 and a product with b, pair by pair */
static void add_decoded(poly f, const unsigned char *in, const poly b)
{
    packer p = {0, 0};
    uint16_t pair[2];

    for (int i = 0; i < N / 2; ++i) {
        pair[0] = take(&p, &in, 12);
        pair[1] = take(&p, &in, 12);
        add_product(f, i, pair, b + 2 * i);
    }
}

/* ByteEncode12 */
static void encode(unsigned char *out, const poly f)
{
    for (int i = 0; i < N; i += 2, out += 3) {
        out[0] = (unsigned char)(f[i] & 255);
        out[1] = (unsigned char)(f[i] >> 8 | (f[i + 1] & 15) << 4);
        out[2] = (unsigned char)(f[i + 1] >> 4);
    }
}

/*
 * Compress_d and ByteEncode_d of f: written to `out`, or compared with `old`. Returns 0 if
 * nothing differs. (2^d x + 1664) / q, rounded down, is 2^d x / q, rounded to the nearest.
 */
static unsigned char compress(unsigned char *out, const unsigned char *old, const poly f, int d)
{
    unsigned char differ = 0;
    packer p = {0, 0};

    for (int i = 0; i < N; ++i) {
        p.bits |= (quotient(((uint32_t)f[i] << d) + Q / 2) & ((1u << d) - 1)) << p.have;
        for (p.have += d; p.have >= 8; p.have -= 8, p.bits >>= 8)
            if (out)
                *out++ = (unsigned char)p.bits;
            else
                differ |= (unsigned char)(p.bits ^ *old++);
    }
    return differ;
}

/* ByteDecode_d and Decompress_d */
static void decompress(poly f, const unsigned char *in, int d)
{
    packer p = {0, 0};

    for (int i = 0; i < N; ++i)
        f[i] = (uint16_t)(((uint32_t)take(&p, &in, d) * Q + (1u << (d - 1))) >> d);
}

/* A hash of a, and b behind it */
static void hash(unsigned char *out, size_t bytes, unsigned int rate, unsigned char suffix,
                 const unsigned char *a, size_t length, const unsigned char *b, size_t more)
{
    keccak k;

    keccak_start(&k, rate);
    keccak_absorb(&k, a, length);
    keccak_absorb(&k, b, more);
    keccak_finish(&k, suffix);
    keccak_squeeze(&k, out, bytes);
}

/* G of the standard */
static void sha3_512(unsigned char out[64], const unsigned char a[32], const unsigned char *b,
                     size_t length)
{
    hash(out, 64, SHA3_512_RATE, SHA3_SUFFIX, a, 32, b, length);
}

/* Algorithm 13: K-PKE.KeyGen */
static void generate(unsigned char ek[EK], unsigned char dk[VECTOR], const unsigned char d[32])
{
    static const unsigned char k_byte = K;
    unsigned char rho_sigma[64], *sigma = rho_sigma + 32;
    poly s[K], t;

    sha3_512(rho_sigma, d, &k_byte, 1);
    crypto_declassify(rho_sigma, 32); /* rho is part of the public key */
    memset(s, 0, sizeof s);
    for (int i = 0; i < K; ++i) {
        add_noise(s[i], sigma, i);
        ntt(s[i]);
        encode(dk + POLY * i, s[i]);
    }
    for (int i = 0; i < K; ++i) {
        memset(t, 0, sizeof t);
        add_noise(t, sigma, K + i);
        ntt(t);
        for (int j = 0; j < K; ++j)
            add_entry(t, rho_sigma, i, j, s[j]);
        encode(ek + POLY * i, t);
    }
    memcpy(ek + VECTOR, rho_sigma, 32);
}

/*
 * Algorithm 14: K-PKE.Encrypt. Writes the ciphertext to `c`, or compares it with `old`; 0 if it
 * is the same. v comes first, after which ek is not needed: c may be where it is.
 */
static unsigned char encrypt(unsigned char *c, const unsigned char *old,
                             const unsigned char ek[EK], const unsigned char m[32],
                             const unsigned char r[32])
{
    unsigned char rho[32], differ = 0;
    poly y[K], u;

    memcpy(rho, ek + VECTOR, 32);
    crypto_declassify(rho, 32); /* public, though crypto_kem_dec takes it from a secret key */
    memset(y, 0, sizeof y);
    memset(u, 0, sizeof u);
    for (int i = 0; i < K; ++i) {
        add_noise(y[i], r, i);
        ntt(y[i]);
        add_decoded(u, ek + POLY * i, y[i]);
    }
    inverse_ntt(u);
    add_noise(u, r, 2 * K);
    for (int i = 0; i < N; ++i) /* q / 2, rounded up, for a bit 1 */
        u[i] = reduce_once(u[i] + (Q + 1) / 2 * (m[i / 8] >> i % 8 & 1u));
    differ |= compress(c ? c + 32 * DU * K : 0, old + 32 * DU * K, u, DV);

    for (int i = 0; i < K; ++i) { /* the transposed matrix */
        memset(u, 0, sizeof u);
        for (int j = 0; j < K; ++j)
            add_entry(u, rho, j, i, y[j]);
        inverse_ntt(u);
        add_noise(u, r, K + i);
        differ |= compress(c ? c + 32 * DU * i : 0, old + 32 * DU * i, u, DU);
    }
    return differ;
}

/* Algorithm 15: K-PKE.Decrypt */
static void decrypt(unsigned char m[32], const unsigned char dk[VECTOR], const unsigned char c[C])
{
    poly u, w;

    memset(w, 0, sizeof w);
    for (int i = 0; i < K; ++i) {
        decompress(u, c + 32 * DU * i, DU);
        ntt(u);
        add_decoded(w, dk + POLY * i, u);
    }
    inverse_ntt(w);
    decompress(u, c + 32 * DU * K, DV);
    for (int i = 0; i < N; ++i)
        u[i] = subtract(u[i], w[i]);
    compress(m, 0, u, 1);
}

/* Section 7.2, the modulus check: is every coefficient below q? The key is public. */
static int is_reduced(const unsigned char *ek)
{
    packer p = {0, 0};

    for (int i = 0; i < K * N; ++i)
        if (take(&p, &ek, 12) >= Q)
            return 0;
    return 1;
}

/* Algorithms 16 and 19: ML-KEM.KeyGen */
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{
    unsigned char d_z[64];

    randombytes(d_z, 64);
    generate(pk, sk, d_z);
    memcpy(sk + VECTOR, pk, EK);
    hash(sk + VECTOR + EK, 32, SHA3_256_RATE, SHA3_SUFFIX, pk, EK, pk, 0);
    memcpy(sk + VECTOR + EK + 32, d_z + 32, 32);
    return 0;
}

/* Algorithms 17 and 20: ML-KEM.Encaps; -1, and no output, for a key that is none. */
int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk)
{
    unsigned char m[32], h[32], key_r[64];

    if (!is_reduced(pk))
        return -1;
    randombytes(m, 32);
    hash(h, 32, SHA3_256_RATE, SHA3_SUFFIX, pk, EK, pk, 0);
    sha3_512(key_r, m, h, 32);
    encrypt(c, c, pk, m, key_r + 32);
    memcpy(k, key_r, 32);
    return 0;
}

/*
 * Algorithms 18 and 21: ML-KEM.Decaps. For a ciphertext that nobody made, the result is a
 * pseudorandom key. -1, and no output, for a damaged secret key (section 7.3, the hash check).
 */
int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk)
{
    const unsigned char *ek = sk + VECTOR, *h = ek + EK, *z = h + 32;
    unsigned char m[32], key_r[64], rejection[32], wrong = 0;

    hash(m, 32, SHA3_256_RATE, SHA3_SUFFIX, ek, EK, ek, 0);
    for (int i = 0; i < 32; ++i)
        wrong |= m[i] ^ h[i];
    crypto_declassify(&wrong, 1); /* both sides are public, and 0 for every key of ours */
    if (wrong)
        return -1;

    decrypt(m, sk, c);
    sha3_512(key_r, m, h, 32);
    hash(rejection, 32, SHAKE256_RATE, SHAKE_SUFFIX, z, 32, c, C);
    wrong = encrypt(0, c, ek, m, key_r + 32);
    wrong = (unsigned char)((0u - wrong) >> 8); /* 0 or 255 */
    for (int i = 0; i < 32; ++i)
        k[i] = (unsigned char)(key_r[i] ^ (wrong & (key_r[i] ^ rejection[i])));
    return 0;
}
