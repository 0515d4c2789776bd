/* SPDX-License-Identifier: MIT */
/* A stream in PQClean's layout that hides nothing: xorshift over key, nonce and block. */
#ifndef PQCLEAN_TOY_CLEAN_API_H
#define PQCLEAN_TOY_CLEAN_API_H

#include <stdint.h>

#define PQCLEAN_TOY_CLEAN_CRYPTO_KEYBYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_NONCEBYTES 8

int PQCLEAN_TOY_CLEAN_crypto_stream(uint8_t *c, unsigned long long clen, const uint8_t *n,
                                    const uint8_t *k);
int PQCLEAN_TOY_CLEAN_crypto_stream_xor(uint8_t *c, const uint8_t *m, unsigned long long mlen,
                                        const uint8_t *n, const uint8_t *k);
int PQCLEAN_TOY_CLEAN_crypto_stream_xor_ic(uint8_t *c, const uint8_t *m, unsigned long long mlen,
                                           const uint8_t *n, uint64_t ic, const uint8_t *k);
#endif
