/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "api.h"

static uint8_t byte(uint64_t at, const uint8_t *n, const uint8_t *k)
{
    uint64_t s = at / 64 + 1;
    int i;

    for (i = 0; i < 64; i++) {
        s = (s ^ k[i % 32] ^ (uint64_t)n[i % 8] << 8 ^ at % 64 << 16) * 0x100000001B3;
        s ^= s >> 31;
    }
    return (uint8_t)(s >> 24);
}

int PQCLEAN_TOY_CLEAN_crypto_stream_xor_ic(uint8_t *c, const uint8_t *m, unsigned long long mlen,
                                           const uint8_t *n, uint64_t ic, const uint8_t *k)
{
    unsigned long long i;

    for (i = 0; i < mlen; i++)
        c[i] = m[i] ^ byte(64 * ic + i, n, k);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_stream_xor(uint8_t *c, const uint8_t *m, unsigned long long mlen,
                                        const uint8_t *n, const uint8_t *k)
{
    return PQCLEAN_TOY_CLEAN_crypto_stream_xor_ic(c, m, mlen, n, 0, k);
}

int PQCLEAN_TOY_CLEAN_crypto_stream(uint8_t *c, unsigned long long clen, const uint8_t *n,
                                    const uint8_t *k)
{
    unsigned long long i;

    for (i = 0; i < clen; i++)
        c[i] = byte(i, n, k);
    return 0;
}
