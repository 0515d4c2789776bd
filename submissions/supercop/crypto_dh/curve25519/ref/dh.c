/* SPDX-License-Identifier: CC0-1.0 */
/* Diffie-Hellman with X25519: RFC 7748, section 6.1. */
#include "crypto_dh.h"
#include "crypto_scalarmult_curve25519.h"
#include "randombytes.h"

/* A secret key is any 32 bytes: crypto_scalarmult clears and sets its fixed bits. */
int crypto_dh_keypair(unsigned char *pk, unsigned char *sk)
{
    randombytes(sk, 32);
    return crypto_scalarmult_curve25519_base(pk, sk);
}

int crypto_dh(unsigned char *s, const unsigned char *pk, const unsigned char *sk)
{
    return crypto_scalarmult_curve25519(s, sk, pk);
}
