/* SPDX-License-Identifier: MIT */
#include "api.h"

void PQCLEAN_TOY_CLEAN_crypto_hash_init(toystate *state)
{
    state->h = 0xCBF29CE484222325;
}

void PQCLEAN_TOY_CLEAN_crypto_hash_update(toystate *state, const uint8_t *in, size_t inlen)
{
    while (inlen--)
        state->h = (state->h ^ *in++) * 0x100000001B3;
}

void PQCLEAN_TOY_CLEAN_crypto_hash_final(toystate *state, uint8_t *out)
{
    int i;

    for (i = 0; i < 8; i++)
        out[i] = (uint8_t)(state->h >> 8 * i);
}

int PQCLEAN_TOY_CLEAN_crypto_hash(uint8_t *out, const uint8_t *in, size_t inlen)
{
    toystate state;

    PQCLEAN_TOY_CLEAN_crypto_hash_init(&state);
    PQCLEAN_TOY_CLEAN_crypto_hash_update(&state, in, inlen);
    PQCLEAN_TOY_CLEAN_crypto_hash_final(&state, out);
    return 0;
}
