/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-Hash256: SP 800-232 (2025), section 5.1, byte by byte; the permutation of section 3
 * with 12 rounds. Blocks are 8 bytes, little-endian, and the padding is one bit 1 (appendix A).
 */

#include "crypto_hash.h"
#include <stdint.h>

#define RATE 8
#define IV 0x0000080100cc0002

static uint64_t rotated(uint64_t x, int n)
{
    return x >> n | x << (64 - n);
}

static void permute(uint64_t s[5])
{
    uint64_t c, t[5];
    int i;

    for (c = 0xf0; c != 0x3c; c -= 0x0f) {
        s[2] ^= c;
        s[0] ^= s[4];
        s[4] ^= s[3];
        s[2] ^= s[1];
        for (i = 0; i < 5; ++i)
            t[i] = s[i] ^ (~s[(i + 1) % 5] & s[(i + 2) % 5]);
        t[1] ^= t[0];
        t[0] ^= t[4];
        t[3] ^= t[2];
        t[2] = ~t[2];
        s[0] = t[0] ^ rotated(t[0], 19) ^ rotated(t[0], 28);
        s[1] = t[1] ^ rotated(t[1], 61) ^ rotated(t[1], 39);
        s[2] = t[2] ^ rotated(t[2], 1) ^ rotated(t[2], 6);
        s[3] = t[3] ^ rotated(t[3], 10) ^ rotated(t[3], 17);
        s[4] = t[4] ^ rotated(t[4], 7) ^ rotated(t[4], 41);
    }
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    uint64_t s[5] = {IV, 0, 0, 0, 0};
    unsigned long long i;

    permute(s);
    for (i = 0; i < inlen; ++i) {
        s[0] ^= (uint64_t)in[i] << 8 * (i % RATE);
        if (i % RATE == RATE - 1)
            permute(s);
    }
    s[0] ^= (uint64_t)1 << 8 * (inlen % RATE);
    permute(s);
    for (i = 0; i < crypto_hash_BYTES; ++i) {
        if (i > 0 && i % RATE == 0)
            permute(s);
        out[i] = (unsigned char)(s[0] >> 8 * (i % RATE));
    }
    return 0;
}
