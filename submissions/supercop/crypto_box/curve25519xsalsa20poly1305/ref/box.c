/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Public-key authenticated encryption: Bernstein, "Cryptography in NaCl", sections 5 (the
 * shared key) and 7 to 10 (the secretbox made with it).
 *
 * Messages begin with 32 zero bytes, boxes with 16; the lengths include them. An output may be
 * any of the inputs.
 */
#include "crypto_box.h"
#include "crypto_core_hsalsa20.h"
#include "crypto_scalarmult_curve25519.h"
#include "crypto_secretbox_xsalsa20poly1305.h"
#include "randombytes.h"

int crypto_box_keypair(unsigned char *pk, unsigned char *sk)
{
    randombytes(sk, 32);
    return crypto_scalarmult_curve25519_base(pk, sk);
}

/* k = HSalsa20(X25519(sk, pk), 0) */
int crypto_box_beforenm(unsigned char *k, const unsigned char *pk, const unsigned char *sk)
{
    static const unsigned char zero[16] = {0};
    static const unsigned char sigma[17] = "expand 32-byte k";
    unsigned char s[32];

    if (crypto_scalarmult_curve25519(s, sk, pk) != 0)
        return -1;
    return crypto_core_hsalsa20(k, zero, s, sigma);
}

int crypto_box_afternm(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                       const unsigned char *n, const unsigned char *k)
{
    return crypto_secretbox_xsalsa20poly1305(c, m, mlen, n, k);
}

int crypto_box_open_afternm(unsigned char *m, const unsigned char *c, unsigned long long clen,
                            const unsigned char *n, const unsigned char *k)
{
    return crypto_secretbox_xsalsa20poly1305_open(m, c, clen, n, k);
}

int crypto_box(unsigned char *c, const unsigned char *m, unsigned long long mlen,
               const unsigned char *n, const unsigned char *pk, const unsigned char *sk)
{
    unsigned char k[32];

    if (crypto_box_beforenm(k, pk, sk) != 0)
        return -1;
    return crypto_box_afternm(c, m, mlen, n, k);
}

int crypto_box_open(unsigned char *m, const unsigned char *c, unsigned long long clen,
                    const unsigned char *n, const unsigned char *pk, const unsigned char *sk)
{
    unsigned char k[32];

    if (crypto_box_beforenm(k, pk, sk) != 0)
        return -1;
    return crypto_box_open_afternm(m, c, clen, n, k);
}
