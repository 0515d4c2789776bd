/* SPDX-License-Identifier: CC0-1.0 */
#ifndef AES128_H
#define AES128_H

#include <stdint.h>

#define aes128_start CRYPTO_NAMESPACE(aes128_start)
#define aes128_encrypt CRYPTO_NAMESPACE(aes128_encrypt)

/* The round keys; a word is a column, its first row in the least significant byte. */
typedef struct {
    uint32_t key[44];
} aes128;

void aes128_start(aes128 *a, const unsigned char key[16]);

/* out may be in. */
void aes128_encrypt(unsigned char out[16], const aes128 *a, const unsigned char in[16]);

#endif
