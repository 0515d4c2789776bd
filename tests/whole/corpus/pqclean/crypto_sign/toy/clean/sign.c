/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "api.h"
#include "randombytes.h"

#define BYTES PQCLEAN_TOY_CLEAN_CRYPTO_BYTES

static void mix(uint64_t s[2], const uint8_t *m, size_t length)
{
    size_t i;

    for (i = 0; i < length + 8; i++) {
        s[0] = (s[0] ^ (i < length ? m[i] : length >> 8 * (i - length) & 255)) * 0x100000001B3;
        s[1] = (s[1] ^ s[0] >> 29) * 0x9E3779B97F4A7C15;
    }
}

static void tag(uint8_t t[16], const uint8_t *r, const uint8_t *m, size_t mlen,
                const uint8_t *ctx, size_t ctxlen, const uint8_t *pk)
{
    uint64_t s[2] = {0xCBF29CE484222325, 1};
    int i;

    mix(s, pk, 32);
    mix(s, r, 32);
    mix(s, ctx, ctxlen);
    mix(s, m, mlen);
    for (i = 0; i < 16; i++)
        t[i] = (uint8_t)(s[i / 8] >> 8 * (i % 8));
}

static void hide(uint8_t pk[32], const uint8_t *sk)
{
    uint64_t s[2] = {0xCBF29CE484222325, 2};
    int i;

    for (i = 0; i < 32; i++) {
        mix(s, sk, 32);
        pk[i] = (uint8_t)(s[1] >> 56);
    }
}

int PQCLEAN_TOY_CLEAN_crypto_sign_keypair(uint8_t *pk, uint8_t *sk)
{
    if (randombytes(sk, 32) != 0)
        return -1;
    hide(pk, sk);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_sign_signature_ctx(uint8_t *sig, size_t *siglen, const uint8_t *m,
                                                size_t mlen, const uint8_t *ctx, size_t ctxlen,
                                                const uint8_t *sk)
{
    uint8_t r[32], pk[32];

    if (randombytes(r, 32) != 0)
        return -1;
    hide(pk, sk);
    tag(sig + 32, r, m, mlen, ctx, ctxlen, pk);
    memcpy(sig, r, 32);
    *siglen = BYTES;
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_sign_verify_ctx(const uint8_t *sig, size_t siglen, const uint8_t *m,
                                             size_t mlen, const uint8_t *ctx, size_t ctxlen,
                                             const uint8_t *pk)
{
    uint8_t t[16];

    if (siglen != BYTES)
        return -1;
    tag(t, sig, m, mlen, ctx, ctxlen, pk);
    return memcmp(t, sig + 32, 16) ? -1 : 0;
}

int PQCLEAN_TOY_CLEAN_crypto_sign_signature(uint8_t *sig, size_t *siglen, const uint8_t *m,
                                            size_t mlen, const uint8_t *sk)
{
    return PQCLEAN_TOY_CLEAN_crypto_sign_signature_ctx(sig, siglen, m, mlen, NULL, 0, sk);
}

int PQCLEAN_TOY_CLEAN_crypto_sign_verify(const uint8_t *sig, size_t siglen, const uint8_t *m,
                                         size_t mlen, const uint8_t *pk)
{
    return PQCLEAN_TOY_CLEAN_crypto_sign_verify_ctx(sig, siglen, m, mlen, NULL, 0, pk);
}

int PQCLEAN_TOY_CLEAN_crypto_sign(uint8_t *sm, size_t *smlen, const uint8_t *m, size_t mlen,
                                  const uint8_t *sk)
{
    size_t siglen;

    memmove(sm + BYTES, m, mlen);
    if (PQCLEAN_TOY_CLEAN_crypto_sign_signature(sm, &siglen, sm + BYTES, mlen, sk) != 0)
        return -1;
    *smlen = BYTES + mlen;
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_sign_open(uint8_t *m, size_t *mlen, const uint8_t *sm, size_t smlen,
                                       const uint8_t *pk)
{
    uint8_t t[16];

    if (smlen < BYTES)
        return -1;
    tag(t, sm, sm + BYTES, smlen - BYTES, NULL, 0, pk);
    if (memcmp(t, sm + 32, 16))
        return -1;
    *mlen = smlen - BYTES;
    memmove(m, sm + BYTES, *mlen);
    return 0;
}
