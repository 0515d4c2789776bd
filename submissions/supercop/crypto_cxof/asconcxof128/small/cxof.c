/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-CXOF128: SP 800-232 (2025), section 5.3, small in code: 32-bit halves of words, and no
 * more than one byte of input or output at once.
 */

#include "crypto_cxof.h"
#include <stdint.h>

typedef uint32_t half; /* of a word: state[2 * i] is the low one of word i */

/* Adds to a word its rotations to the right by `a` and by `b`, of which none is 32. */
static void spread(half *x, unsigned char a, unsigned char b)
{
    half v[2];
    unsigned char i, k;

    v[0] = x[0];
    v[1] = x[1];
    for (i = 0; i < 2; ++i) {
        k = a >> 5; /* from 32 on the halves change places */
        a &= 31;
        x[0] ^= v[k] >> a | v[k ^ 1] << (32 - a);
        x[1] ^= v[k ^ 1] >> a | v[k] << (32 - a);
        a = b;
    }
}

/* Section 3, 12 rounds. */
static void permute(half s[10])
{
    static const unsigned char amounts[5][2] = {{19, 28}, {61, 39}, {1, 6}, {10, 17}, {7, 41}};
    half a, b, c, d, e;
    unsigned char i, rc;

    for (rc = 0xf0; rc != 0x3c; rc -= 0x0f) {
        s[4] ^= rc;
        for (i = 0; i < 2; ++i) {
            b = s[i + 2];
            d = s[i + 6];
            a = s[i] ^ s[i + 8];
            e = s[i + 8] ^ d;
            c = s[i + 4] ^ b;
            s[i] = a ^ (~b & c);
            s[i + 2] = b ^ (~c & d);
            s[i + 4] = c ^ (~d & e);
            s[i + 6] = d ^ (~e & a);
            s[i + 8] = e ^ (~a & b);
            s[i + 2] ^= s[i];
            s[i] ^= s[i + 8];
            s[i + 6] ^= s[i + 4];
            s[i + 4] = ~s[i + 4];
        }
        for (i = 0; i < 5; ++i)
            spread(s + 2 * i, amounts[i][0], amounts[i][1]);
    }
}

static void absorb(half s[10], const unsigned char *in, unsigned long long len)
{
    unsigned char at = 0;

    for (; len; --len) {
        s[at >> 2] ^= (half)*in++ << 8 * (at & 3);
        if (++at == 8) {
            permute(s);
            at = 0;
        }
    }
    s[at >> 2] ^= (half)1 << 8 * (at & 3);
    permute(s);
}

int crypto_cxof(unsigned char *out, unsigned long long outlen, const unsigned char *in,
                unsigned long long inlen, const unsigned char *cs, unsigned long long cslen)
{
    half s[10] = {0x00cc0004, 0x00000800};
    unsigned char at = 0;

    permute(s);
    s[0] ^= (half)(cslen << 3);
    s[1] ^= (half)(cslen >> 29);
    permute(s);
    absorb(s, cs, cslen);
    absorb(s, in, inlen);
    for (; outlen; --outlen) {
        if (at == 8) {
            permute(s);
            at = 0;
        }
        *out++ = (unsigned char)(s[at >> 2] >> 8 * (at & 3));
        ++at;
    }
    return 0;
}
