/* SPDX-License-Identifier: CC0-1.0 */
/*
 * A generator that forgets its keys: ChaCha20 under the old key makes the next key and the
 * output, and the caller overwrites the old key.
 *
 * D. J. Bernstein, "Fast-key-erasure random-number generators" (2017).
 */

#include "crypto_stream_chacha20.h"
#include "crypto_rng.h"

#define KEYBYTES crypto_rng_KEYBYTES
#define OUTPUTBYTES crypto_rng_OUTPUTBYTES

/* Each key is used once, so that the nonce may always be zero. */
static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0};

int crypto_rng(unsigned char *output, unsigned char *next_key, const unsigned char *key)
{
    unsigned char stream[KEYBYTES + OUTPUTBYTES];
    int i;

    crypto_stream_chacha20(stream, sizeof stream, nonce, key);
    for (i = 0; i < KEYBYTES; ++i)
        next_key[i] = stream[i];
    for (i = 0; i < OUTPUTBYTES; ++i)
        output[i] = stream[KEYBYTES + i];
    return 0;
}
