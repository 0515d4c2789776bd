/* SPDX-License-Identifier: MIT */
/* An AEAD in PQClean's layout that hides nothing: a keystream, and a sum as its tag. */
#ifndef PQCLEAN_TOY_CLEAN_API_H
#define PQCLEAN_TOY_CLEAN_API_H

#include <stdint.h>

#define PQCLEAN_TOY_CLEAN_CRYPTO_KEYBYTES 16
#define PQCLEAN_TOY_CLEAN_CRYPTO_NSECBYTES 0
#define PQCLEAN_TOY_CLEAN_CRYPTO_NPUBBYTES 16
#define PQCLEAN_TOY_CLEAN_CRYPTO_ABYTES 16
typedef unsigned long long toylen;

int PQCLEAN_TOY_CLEAN_crypto_aead_encrypt(uint8_t *c, toylen *clen, const uint8_t *m, toylen mlen,
                                          const uint8_t *ad, toylen adlen, const uint8_t *nsec,
                                          const uint8_t *npub, const uint8_t *k);
int PQCLEAN_TOY_CLEAN_crypto_aead_decrypt(uint8_t *m, toylen *mlen, uint8_t *nsec,
                                          const uint8_t *c, toylen clen, const uint8_t *ad,
                                          toylen adlen, const uint8_t *npub, const uint8_t *k);
int PQCLEAN_TOY_CLEAN_crypto_aead_encrypt_detached(uint8_t *c, uint8_t *mac, toylen *maclen,
                                                   const uint8_t *m, toylen mlen,
                                                   const uint8_t *ad, toylen adlen,
                                                   const uint8_t *nsec, const uint8_t *npub,
                                                   const uint8_t *k);
int PQCLEAN_TOY_CLEAN_crypto_aead_decrypt_detached(uint8_t *m, uint8_t *nsec, const uint8_t *c,
                                                   toylen clen, const uint8_t *mac,
                                                   const uint8_t *ad, toylen adlen,
                                                   const uint8_t *npub, const uint8_t *k);
#endif
