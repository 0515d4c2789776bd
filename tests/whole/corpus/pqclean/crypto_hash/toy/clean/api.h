/* SPDX-License-Identifier: MIT */
/* A hash of 64 bits in PQClean's layout, which protects nothing: FNV-1a. */
#ifndef PQCLEAN_TOY_CLEAN_API_H
#define PQCLEAN_TOY_CLEAN_API_H

#include <stddef.h>
#include <stdint.h>

#define PQCLEAN_TOY_CLEAN_CRYPTO_BYTES 8
#define PQCLEAN_TOY_CLEAN_CRYPTO_ALGNAME "Toy"

typedef struct {
    uint64_t h;
} toystate;

void PQCLEAN_TOY_CLEAN_crypto_hash_init(toystate *state);
void PQCLEAN_TOY_CLEAN_crypto_hash_update(toystate *state, const uint8_t *in, size_t inlen);
void PQCLEAN_TOY_CLEAN_crypto_hash_final(toystate *state, uint8_t *out);
int PQCLEAN_TOY_CLEAN_crypto_hash(uint8_t *out, const uint8_t *in, size_t inlen);
#endif
