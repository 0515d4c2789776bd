/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The sponges of SHA-3 (FIPS 202, sections 4 and 6). In this order: keccak_start,
 * keccak_absorb any number of times, keccak_finish, keccak_squeeze any number of times.
 */
#ifndef KECCAK_H
#define KECCAK_H

#include <stddef.h>
#include <stdint.h>

#define keccak_start CRYPTO_NAMESPACE(keccak_start)
#define keccak_absorb CRYPTO_NAMESPACE(keccak_absorb)
#define keccak_finish CRYPTO_NAMESPACE(keccak_finish)
#define keccak_squeeze CRYPTO_NAMESPACE(keccak_squeeze)

typedef struct {
    uint64_t lane[25];
    unsigned int rate; /* bytes that a permutation takes in or gives out */
    unsigned int at;   /* how many of them are used */
} keccak;

enum { SHAKE128_RATE = 168, SHAKE256_RATE = 136, SHA3_256_RATE = 136, SHA3_512_RATE = 72 };
enum { SHA3_SUFFIX = 0x06, SHAKE_SUFFIX = 0x1f }; /* with the first bit of the padding */

void keccak_start(keccak *k, unsigned int rate);
void keccak_absorb(keccak *k, const unsigned char *in, size_t length);
void keccak_finish(keccak *k, unsigned char suffix);
void keccak_squeeze(keccak *k, unsigned char *out, size_t length);

#endif
