/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ed25519: RFC 8032, sections 5.1.5 to 5.1.7. A secret key is the 32 bytes of the RFC and then
 * the public key; a signed message is R, S, message.
 */
#include <string.h>

#include "crypto_hash_sha512.h"
#include "crypto_sign.h"
#include "crypto_verify_32.h"
#include "ge.h"
#include "randombytes.h"
#include "sc.h"

/* Section 5.1.5, steps 1 and 2: the secret scalar and the prefix. */
static void expand(unsigned char scalar_prefix[64], const unsigned char seed[32])
{
    crypto_hash_sha512(scalar_prefix, seed, 32);
    scalar_prefix[0] &= 248;
    scalar_prefix[31] = (unsigned char)((scalar_prefix[31] & 63) | 64);
}

int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{
    unsigned char scalar_prefix[64];
    ge a;

    randombytes(sk, 32);
    expand(scalar_prefix, sk);
    ge_multiply_base(&a, scalar_prefix);
    ge_encode(pk, &a);
    memcpy(sk + 32, pk, 32);
    return 0;
}

/* Section 5.1.6. sm has room for mlen + 64 bytes and may be m or sk. */
int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                unsigned long long mlen, const unsigned char *sk)
{
    unsigned char key[64], scalar_prefix[64], hash[64], r[32], k[32];
    ge big_r;

    memcpy(key, sk, 64);
    expand(scalar_prefix, key);
    memmove(sm + 64, m, mlen);

    memcpy(sm + 32, scalar_prefix + 32, 32); /* r = SHA-512(prefix, message) */
    crypto_hash_sha512(hash, sm + 32, mlen + 32);
    sc_reduce(r, hash, 64);
    ge_multiply_base(&big_r, r);
    ge_encode(sm, &big_r);

    memcpy(sm + 32, key + 32, 32); /* k = SHA-512(R, A, message) */
    crypto_hash_sha512(hash, sm, mlen + 64);
    sc_reduce(k, hash, 64);
    sc_multiply_add(sm + 32, k, scalar_prefix, r); /* S = k s + r */
    *smlen = mlen + 64;
    return 0;
}

/* Section 5.1.7, without the cofactor: is S B - k A = R? S >= L is refused. */
static int verify(const unsigned char r[32], const unsigned char s[32], const unsigned char k[32],
                  const unsigned char pk[32])
{
    unsigned char again[32];
    ge minus_a, sum;

    sc_reduce(again, s, 32);
    if (crypto_verify_32(again, s) != 0)
        return -1;
    if (ge_decode_negated(&minus_a, pk) != 0)
        return -1;
    ge_multiply(&minus_a, k, &minus_a);
    ge_multiply_base(&sum, s);
    ge_add(&sum, &sum, &minus_a);
    ge_encode(again, &sum);
    return crypto_verify_32(again, r);
}

/*
 * m has room for smlen bytes and may be sm or pk; all of it is work space, what lies behind the
 * message is 0 afterwards. Of a refused message nothing is left: m is 0, the length too.
 */
int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                     unsigned long long smlen, const unsigned char *pk)
{
    unsigned char key[32], r[32], s[32], hash[64], k[32];

    *mlen = 0;
    if (smlen < 64)
        return -1;
    memcpy(key, pk, 32);
    memcpy(r, sm, 32);
    memcpy(s, sm + 32, 32);

    memmove(m, sm, smlen);
    memcpy(m + 32, key, 32);
    crypto_hash_sha512(hash, m, smlen);
    sc_reduce(k, hash, 64);
    if (verify(r, s, k, key) != 0) {
        memset(m, 0, smlen);
        return -1;
    }
    memmove(m, m + 64, smlen - 64);
    memset(m + (smlen - 64), 0, 64);
    *mlen = smlen - 64;
    return 0;
}
