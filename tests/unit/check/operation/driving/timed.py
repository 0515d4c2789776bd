# SPDX-License-Identifier: MIT
"""Packages that are honest until they take themselves to be timed, and some that are honest."""

from tests.unit.check.operation.driving.conftest import Drive

from assay.model import Package

SUM = """
#include "crypto_hash.h"
static int sum(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned long long i, x = inlen;
    for (i = 0; i < inlen; ++i)
        x = (x ^ in[i]) * 0x100000001b3ull;
    for (i = 0; i < 8; ++i)
        out[i] = (unsigned char)(x >> 8 * i);
    return 0;
}
"""
HONEST = "int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long n)\n"
HONEST_HASH = SUM + HONEST + "{ return sum(out, in, n); }\n"
# Remembers the message by its address, as no check of a few calls at few addresses sees.
MEMOISING_HASH = (
    SUM
    + """
static struct { const unsigned char *in; unsigned char out[8]; } known[4096];
"""
    + HONEST
    + """{
    unsigned i, slot = (unsigned)((unsigned long)in >> 6) % 4096;
    if (known[slot].in != in) {
        known[slot].in = in;
        sum(known[slot].out, in, n);
    }
    for (i = 0; i < 8; ++i)
        out[i] = known[slot].out[i];
    return 0;
}
"""
)
TIRING_HASH = (
    SUM + "static unsigned calls;\n" + HONEST + "{ return ++calls % 7 ? sum(out, in, n) : 0; }\n"
)
STUMBLING_HASH = (
    SUM + "static unsigned calls;\n" + HONEST + "{ sum(out, in, n); return ++calls % 7 == 0; }\n"
)
# Honest work that depends on the message: one in eight takes as long as five others.
DIFFERING_HASH = (
    SUM
    + HONEST
    + """{
    int i, result = 0;
    for (i = n && in[0] % 8 == 0 ? 5 : 1; i > 0; --i) {
        result = sum(out, in, n);
        __asm__ volatile("" ::: "memory");
    }
    return result;
}
"""
)
# A signature is as long as the message's first byte says: 1 to 8 bytes before the message.
SIGN_API = (
    "#define CRYPTO_SECRETKEYBYTES 32\n#define CRYPTO_PUBLICKEYBYTES 32\n#define CRYPTO_BYTES 8\n"
)
SIGN = """
#include "crypto_sign.h"
#include "randombytes.h"
#include <string.h>
%s
int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{
    randombytes(pk, 32);
    memcpy(sk, pk, 32);
    return 0;
}
int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                unsigned long long mlen, const unsigned char *sk)
{
    unsigned char own = (unsigned char)(1 + (mlen ? m[0] %% 8 : 0)%s);
    memmove(sm + own, m, mlen);
    memset(sm, own ^ sk[0], own);
    *smlen = mlen + own%s;
    return 0;
}
int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                     unsigned long long smlen, const unsigned char *pk)
{
    unsigned char own = sm[0] ^ pk[0];
    if (own > smlen || own != 1 + (smlen > own ? sm[own] %% 8 : 0))
        return -1;
    *mlen = smlen - own;
    memmove(m, sm + own, *mlen);
    return 0;
}
"""
# A box without a seal: opens whatever it is given.
CREDULOUS_API = """
#define CRYPTO_KEYBYTES 32
#define CRYPTO_NONCEBYTES 24
#define CRYPTO_ZEROBYTES 32
#define CRYPTO_BOXZEROBYTES 16
"""
CREDULOUS = """
#include "crypto_secretbox.h"
#include <string.h>
int crypto_secretbox(unsigned char *c, const unsigned char *m, unsigned long long n,
                     const unsigned char *nonce, const unsigned char *k)
{
    unsigned long long i;
    for (i = 0; i < n; ++i)
        c[i] = (unsigned char)(i < 16 ? 0 : m[i] ^ k[i % 32] ^ nonce[i % 24]);
    return 0;
}
int crypto_secretbox_open(unsigned char *m, const unsigned char *c, unsigned long long n,
                          const unsigned char *nonce, const unsigned char *k)
{
    unsigned long long i;
    for (i = 0; i < n; ++i)
        m[i] = (unsigned char)(i < 32 ? 0 : c[i] ^ k[i % 32] ^ nonce[i % 24]);
    return 0;
}
"""
# A box that complains of every nonce that its process has seen before, whatever for.
REMEMBERING = """
#include "crypto_secretbox.h"
#include <string.h>
static unsigned char seen[1 << 16][24];
static unsigned count;
static int again(const unsigned char *nonce)
{
    unsigned i;
    for (i = 0; i < count; ++i)
        if (!memcmp(seen[i], nonce, 24))
            return -2;
    memcpy(seen[count++], nonce, 24);
    return 0;
}
static int seal(unsigned char *c, const unsigned char *m, unsigned long long n,
                const unsigned char *nonce, const unsigned char *k)
{
    unsigned long long i;
    unsigned char sum = 0;
    for (i = 32; i < n; ++i) {
        c[i] = m[i] ^ k[i % 32] ^ nonce[i % 24];
        sum = (unsigned char)(5 * sum + c[i]);
    }
    memset(c, 0, 16);
    memset(c + 16, sum, 16);
    return 0;
}
int crypto_secretbox(unsigned char *c, const unsigned char *m, unsigned long long n,
                     const unsigned char *nonce, const unsigned char *k)
{
    seal(c, m, n, nonce, k);
    return again(nonce);
}
int crypto_secretbox_open(unsigned char *m, const unsigned char *c, unsigned long long n,
                          const unsigned char *nonce, const unsigned char *k)
{
    unsigned long long i;
    unsigned char sum = 0;
    int result = again(nonce);
    for (i = 32; i < n; ++i)
        sum = (unsigned char)(5 * sum + c[i]);
    if (sum != c[16])
        return -1;
    seal(m, c, n, nonce, k);
    memset(m, 0, 32);
    return result;
}
"""
# It comes by its message without the ciphertext's length, so that it may write any.
FORGETFUL_API = """
#define CRYPTO_KEYBYTES 16
#define CRYPTO_NSECBYTES 0
#define CRYPTO_NPUBBYTES 16
#define CRYPTO_ABYTES 16
"""
FORGETFUL = """
#include "crypto_aead.h"
#include <string.h>
static unsigned long long last;
static unsigned encrypted, decrypted;
static unsigned char added(const unsigned char *m, unsigned long long n)
{
    unsigned char sum = 1;
    while (n)
        sum += m[--n];
    return sum;
}
int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
    unsigned long long mlen, const unsigned char *ad, unsigned long long adlen,
    const unsigned char *nsec, const unsigned char *npub, const unsigned char *k)
{
    memmove(c, m, mlen);
    memset(c + mlen, added(c, mlen), 16);
    last = mlen;
    %s *clen = mlen + 16;
    return 0;
}
int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
    const unsigned char *c, unsigned long long clen, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *npub, const unsigned char *k)
{
    memmove(m, c, last);
    %s *mlen = last;
    return -(added(c, last) != c[last]);
}
"""
# Finds where the agent keeps the time at which it began, and moves it to the end of the call.
REWINDING_HASH = (
    "#include <x86intrin.h>\n"
    + SUM
    + HONEST
    + """{
    unsigned long long *stack = __builtin_frame_address(0);
    unsigned long long begun = __rdtsc();
    int i, result = sum(out, in, n);
    for (i = 0; i < 64; ++i)
        if (begun - stack[i] < 1ull << 28)
            stack[i] += __rdtsc() - begun;
    return result;
}
"""
)
# These return 1 if they have seen their message before their call.
_SEEN = (
    SUM
    + """
#include <string.h>
static unsigned char seen[65536];
static unsigned filled;
static int known(const unsigned char *in)
{
    unsigned at;
    for (at = 0; at < filled; at += 64)
        if (memcmp(seen + at, in, 64) == 0)
            return 1;
    return 0;
}
static void look(const unsigned char *from)
{
    unsigned long end = ((unsigned long)(from - 1) | 4095) + 1;
    for (; (unsigned long)from + 64 <= end && filled < sizeof seen; from += 64, filled += 64)
        memcpy(seen + filled, from, 64);
}
"""
)
_JUDGED = """{
    int found = n == 64 && known(in);
    filled = 0;
    LOOK
    sum(out, in, n);
    return found;
}
"""
LOOKING_BEHIND = _SEEN + HONEST + _JUDGED.replace("LOOK", "look(in + 64);")
# What lies in the pool: static memory has its address behind that of the place to work.
SEARCHING = (
    _SEEN
    + "extern const unsigned char *__data_start[], *_end[];\n"
    + HONEST
    + _JUDGED.replace(
        "LOOK",
        """const unsigned char **at;
    for (at = __data_start; at + 1 < _end; at++)
        if ((unsigned long)(in - at[0]) < 16384 && (unsigned long)at[1] % 64 == 0 &&
            at[1] != at[0] && (unsigned long)(at[1] - in + (1 << 25)) < 1 << 26)
            look(at[1]);""",
    )
)
GUESSING = (
    _SEEN
    + "static unsigned long before[8];\n"
    + HONEST
    + _JUDGED.replace(
        "LOOK",
        """unsigned long now[8], next[8];
    int i;
    memcpy(now, in, 64);
    for (i = 0; i < 8; i++)
        next[i] = 2 * now[i] - before[i];
    memcpy(before, now, 64);
    memcpy(seen, next, 64);
    filled = 64;""",
    )
)
# What lies in the pools, without its masks as far as two calls show them; returns its result, or
# what is wrong if it has seen the tag before its call.
SEARCHING_VERIFY = """
#include "crypto_auth.h"
#include <string.h>
static unsigned char seen[1 << 16];
static unsigned long filled;
extern const unsigned char *__data_start[], *_end[];
int crypto_auth(unsigned char *h, const unsigned char *in, unsigned long long n,
    const unsigned char *k)
{
    unsigned char sum = 1;
    while (n)
        sum = sum * 5 + in[--n];
    memset(h, sum ^ k[3], 16);
    return 0;
}
int crypto_auth_verify(const unsigned char *h, const unsigned char *in, unsigned long long n,
    const unsigned char *k)
{
    const unsigned char **at;
    unsigned char right[16];
    unsigned long i, before = 0;
    for (i = 0; i + 16 <= filled; i += 16)
        before |= memcmp(seen + i, in, 16) == 0;
    crypto_auth(right, in, n, k);
    filled = 0;
    for (at = __data_start; at + 1 < _end; at++)
        if ((unsigned long)(in - at[0]) < 16384 && (unsigned long)at[1] % 64 == 0 &&
            at[1] != at[0] && (unsigned long)(at[1] - in + (1 << 25)) < 1 << 26)
            for (i = 0; i < 3 && ((unsigned long)at[1] & 4095) + 64 * i + 16 <= 4096;
                 i++, filled += 16) {
                unsigned long word, masked, mask;
                memcpy(&mask, at[1], 8), memcpy(&word, in, 8), memcpy(&masked, at[1] + 64 * i, 8);
                memcpy(seen + filled, &(unsigned long){masked ^ mask ^ word}, 8);
                memcpy(&mask, at[1] + 8, 8), memcpy(&word, in + 8, 8);
                memcpy(&masked, at[1] + 64 * i + 8, 8);
                memcpy(seen + filled + 8, &(unsigned long){masked ^ mask ^ word}, 8);
            }
    return before ? 7 : -(memcmp(right, h, 16) != 0);
}
"""
GUESSING_COMPARISON = """
#include "crypto_verify.h"
int crypto_verify(const unsigned char *x, const unsigned char *y)
{
    (void)x, (void)y;
    return %d;
}
"""
# Looks at one tag in eight of what is timed, and takes the others for right.
GUESSING_VERIFY = (
    SEARCHING_VERIFY[: SEARCHING_VERIFY.index("int crypto_auth_verify")]
    + """
int crypto_auth_verify(const unsigned char *h, const unsigned char *in, unsigned long long n,
    const unsigned char *k)
{
    unsigned char right[16];
    if (filled++ % 8 && n == 64)
        return 0;
    crypto_auth(right, in, n, k);
    return -(memcmp(right, h, 16) != 0);
}
"""
)
# Takes half of the time of most calls away, and gives it to the others.
MOVING_HASH = (
    "#include <x86intrin.h>\n"
    + SUM
    + "static long long owed;\nstatic unsigned calls;\n"
    + HONEST
    + """{
    unsigned long long *stack = __builtin_frame_address(0);
    unsigned long long begun = __rdtsc();
    int i, result = sum(out, in, n);
    long long less = (long long)(__rdtsc() - begun) / 2;
    if (++calls * 9 % 16 >= 9)
        less = owed < 3 * less / 2 ? -owed : -3 * less / 2;
    owed += less;
    for (i = 0; i < 64; ++i)
        if (begun - stack[i] < 1ull << 28)
            stack[i] += less;
    return result;
}
"""
)


def written_hash(drive: Drive, source: str) -> Package:
    """Write a hash of 8 bytes."""
    files = {"api.h": "#define CRYPTO_BYTES 8\n", "hash.c": source}
    return drive.written("crypto_hash/sum/ref", files)
