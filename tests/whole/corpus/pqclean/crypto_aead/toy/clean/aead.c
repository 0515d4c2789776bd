/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "api.h"

static uint64_t mix(uint64_t s, const uint8_t *from, toylen length)
{
    toylen i;

    for (i = 0; i < length; i++) {
        s = (s ^ from[i]) * 0x100000001B3;
        s ^= s >> 31;
    }
    return (s ^ length) * 0x9E3779B97F4A7C15;
}

static void tag(uint8_t *mac, const uint8_t *c, toylen clen, const uint8_t *ad, toylen adlen,
                const uint8_t *npub, const uint8_t *k)
{
    uint64_t s = mix(mix(mix(mix(1, k, 16), npub, 16), ad, adlen), c, clen);
    int i;

    for (i = 0; i < 16; i++) {
        s = mix(s, k, 16);
        mac[i] = (uint8_t)(s >> 24);
    }
}

static void cipher(uint8_t *to, const uint8_t *from, toylen length, const uint8_t *npub,
                   const uint8_t *k)
{
    uint64_t s = mix(mix(2, k, 16), npub, 16);
    toylen i;

    for (i = 0; i < length; i++) {
        s = mix(s, k, 16);
        to[i] = from[i] ^ (uint8_t)(s >> 24);
    }
}

int PQCLEAN_TOY_CLEAN_crypto_aead_encrypt_detached(uint8_t *c, uint8_t *mac, toylen *maclen,
                                                   const uint8_t *m, toylen mlen,
                                                   const uint8_t *ad, toylen adlen,
                                                   const uint8_t *nsec, const uint8_t *npub,
                                                   const uint8_t *k)
{
    (void)nsec;
    cipher(c, m, mlen, npub, k);
    tag(mac, c, mlen, ad, adlen, npub, k);
    *maclen = 16;
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_aead_decrypt_detached(uint8_t *m, uint8_t *nsec, const uint8_t *c,
                                                   toylen clen, const uint8_t *mac,
                                                   const uint8_t *ad, toylen adlen,
                                                   const uint8_t *npub, const uint8_t *k)
{
    uint8_t own[16];

    (void)nsec;
    tag(own, c, clen, ad, adlen, npub, k);
    if (memcmp(own, mac, 16) != 0)
        return -1;
    cipher(m, c, clen, npub, k);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_aead_encrypt(uint8_t *c, toylen *clen, const uint8_t *m, toylen mlen,
                                          const uint8_t *ad, toylen adlen, const uint8_t *nsec,
                                          const uint8_t *npub, const uint8_t *k)
{
    (void)nsec;
    cipher(c, m, mlen, npub, k);
    tag(c + mlen, c, mlen, ad, adlen, npub, k);
    *clen = mlen + 16;
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_aead_decrypt(uint8_t *m, toylen *mlen, uint8_t *nsec,
                                          const uint8_t *c, toylen clen, const uint8_t *ad,
                                          toylen adlen, const uint8_t *npub, const uint8_t *k)
{
    if (clen < 16)
        return -1;
    *mlen = clen - 16;
    return PQCLEAN_TOY_CLEAN_crypto_aead_decrypt_detached(m, nsec, c, clen - 16, c + clen - 16, ad,
                                                          adlen, npub, k);
}
