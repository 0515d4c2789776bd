/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ML-KEM-768: FIPS 203, sections 5 to 7, with k = 3, eta1 = eta2 = 2, du = 10, dv = 4.
 *
 * An encapsulation key is ByteEncode12(t), rho; a decapsulation key is ByteEncode12(s), the
 * encapsulation key, its hash, z. Outputs may be inputs.
 */
#include <string.h>

#include "crypto_declassify.h"
#include "crypto_kem.h"
#include "keccak.h"
#include "poly.h"
#include "randombytes.h"

enum { K = 3, DU = 10, DV = 4, POLY = 384, VECTOR = K * POLY, EK = VECTOR + 32, C = 1088 };

/* H of the standard */
static void sha3_256(unsigned char out[32], const unsigned char *in, size_t length)
{
    keccak k;

    keccak_start(&k, SHA3_256_RATE);
    keccak_absorb(&k, in, length);
    keccak_finish(&k, SHA3_SUFFIX);
    keccak_squeeze(&k, out, 32);
}

/* G of the standard, for a and b behind one another */
static void sha3_512(unsigned char out[64], const unsigned char a[32], const unsigned char *b,
                     size_t length)
{
    keccak k;

    keccak_start(&k, SHA3_512_RATE);
    keccak_absorb(&k, a, 32);
    keccak_absorb(&k, b, length);
    keccak_finish(&k, SHA3_SUFFIX);
    keccak_squeeze(&k, out, 64);
}

/* J(z, c) of the standard */
static void shake256(unsigned char out[32], const unsigned char z[32], const unsigned char c[C])
{
    keccak k;

    keccak_start(&k, SHAKE256_RATE);
    keccak_absorb(&k, z, 32);
    keccak_absorb(&k, c, C);
    keccak_finish(&k, SHAKE_SUFFIX);
    keccak_squeeze(&k, out, 32);
}

/* f = the inner product of two vectors, in the NTT domain */
static void inner_product(poly *f, const poly a[K], const poly b[K])
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < K; ++i)
        poly_add_product(f, &a[i], &b[i]);
}

/* Algorithm 13: K-PKE.KeyGen */
static void generate(unsigned char ek[EK], unsigned char dk[VECTOR], const unsigned char d[32])
{
    static const unsigned char k_byte = K;
    unsigned char rho_sigma[64], *sigma = rho_sigma + 32;
    poly s[K], row[K], t, e;

    sha3_512(rho_sigma, d, &k_byte, 1);
    crypto_declassify(rho_sigma, 32); /* rho is part of the public key */
    for (unsigned char i = 0; i < K; ++i) {
        poly_noise(&s[i], sigma, i);
        poly_ntt(&s[i]);
        poly_encode(dk + POLY * i, &s[i], 12);
    }
    for (unsigned char i = 0; i < K; ++i) {
        for (unsigned char j = 0; j < K; ++j)
            poly_uniform(&row[j], rho_sigma, i, j);
        inner_product(&t, row, s);
        poly_noise(&e, sigma, (unsigned char)(K + i));
        poly_ntt(&e);
        poly_add(&t, &e);
        poly_encode(ek + POLY * i, &t, 12);
    }
    memcpy(ek + VECTOR, rho_sigma, 32);
}

/* Algorithm 14: K-PKE.Encrypt */
static void encrypt(unsigned char c[C], const unsigned char ek[EK], const unsigned char m[32],
                    const unsigned char r[32])
{
    unsigned char rho[32];
    poly y[K], column[K], t[K], u[K], v, noise;

    memcpy(rho, ek + VECTOR, 32);
    crypto_declassify(rho, 32); /* public, though crypto_kem_dec takes it from a secret key */
    for (unsigned char i = 0; i < K; ++i) {
        poly_noise(&y[i], r, i);
        poly_ntt(&y[i]);
        poly_decode(&t[i], ek + POLY * i, 12);
    }
    for (unsigned char i = 0; i < K; ++i) { /* the transposed matrix */
        for (unsigned char j = 0; j < K; ++j)
            poly_uniform(&column[j], rho, j, i);
        inner_product(&u[i], column, y);
        poly_inverse_ntt(&u[i]);
        poly_noise(&noise, r, (unsigned char)(K + i));
        poly_add(&u[i], &noise);
    }
    inner_product(&v, t, y);
    poly_inverse_ntt(&v);
    poly_noise(&noise, r, 2 * K);
    poly_add(&v, &noise);
    poly_decode(&noise, m, 1);
    poly_decompress(&noise, 1);
    poly_add(&v, &noise);

    for (int i = 0; i < K; ++i) {
        poly_compress(&u[i], DU);
        poly_encode(c + 32 * DU * i, &u[i], DU);
    }
    poly_compress(&v, DV);
    poly_encode(c + 32 * DU * K, &v, DV);
}

/* Algorithm 15: K-PKE.Decrypt */
static void decrypt(unsigned char m[32], const unsigned char dk[VECTOR], const unsigned char c[C])
{
    poly s[K], u[K], v, w;

    for (int i = 0; i < K; ++i) {
        poly_decode(&u[i], c + 32 * DU * i, DU);
        poly_decompress(&u[i], DU);
        poly_ntt(&u[i]);
        poly_decode(&s[i], dk + POLY * i, 12);
    }
    poly_decode(&v, c + 32 * DU * K, DV);
    poly_decompress(&v, DV);
    inner_product(&w, s, u);
    poly_inverse_ntt(&w);
    poly_subtract(&v, &w);
    poly_compress(&v, 1);
    poly_encode(m, &v, 1);
}

/* Section 7.2, the modulus check: is every coefficient below q? The key is public. */
static int is_reduced(const unsigned char ek[EK])
{
    poly t;

    for (int i = 0; i < K; ++i) {
        poly_decode(&t, ek + POLY * i, 12);
        for (int j = 0; j < 256; ++j)
            if (t.c[j] >= Q)
                return 0;
    }
    return 1;
}

/* 0 if the bytes are equal, 255 if not */
static unsigned char differ(const unsigned char *a, const unsigned char *b, int length)
{
    unsigned int difference = 0;

    for (int i = 0; i < length; ++i)
        difference |= (unsigned int)(a[i] ^ b[i]);
    return (unsigned char)((0u - difference) >> 8);
}

/* Algorithms 16 and 19: ML-KEM.KeyGen */
int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{
    unsigned char d_z[64];

    randombytes(d_z, 64);
    generate(pk, sk, d_z);
    memcpy(sk + VECTOR, pk, EK);
    sha3_256(sk + VECTOR + EK, pk, EK);
    memcpy(sk + VECTOR + EK + 32, d_z + 32, 32);
    return 0;
}

/* Algorithms 17 and 20: ML-KEM.Encaps; -1, and no output, for a key that is none. */
int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk)
{
    unsigned char m[32], hash[32], key_r[64];

    if (!is_reduced(pk))
        return -1;
    randombytes(m, 32);
    sha3_256(hash, pk, EK);
    sha3_512(key_r, m, hash, 32);
    encrypt(c, pk, m, key_r + 32);
    memcpy(k, key_r, 32);
    return 0;
}

/*
 * Algorithms 18 and 21: ML-KEM.Decaps. For a ciphertext that nobody made, the result is a
 * pseudorandom key. -1, and no output, for a damaged secret key (section 7.3, the hash check).
 */
int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk)
{
    const unsigned char *ek = sk + VECTOR, *hash = ek + EK, *z = hash + 32;
    unsigned char again[C], m[32], key_r[64], rejection[32], damaged, wrong;

    sha3_256(m, ek, EK);
    damaged = differ(m, hash, 32);
    crypto_declassify(&damaged, 1); /* both sides are public, and 0 for every key of ours */
    if (damaged)
        return -1;

    decrypt(m, sk, c);
    sha3_512(key_r, m, hash, 32);
    shake256(rejection, z, c);
    encrypt(again, ek, m, key_r + 32);
    wrong = differ(again, c, C);
    for (int i = 0; i < 32; ++i)
        k[i] = (unsigned char)(key_r[i] ^ (wrong & (key_r[i] ^ rejection[i])));
    return 0;
}
