/* SPDX-License-Identifier: MIT */
/*
 * The functions that packages of the SUPERCOP API may call.
 *
 * randombytes is a stream that the bench knows: ChaCha20 with a 64-bit counter
 * and nonce zero (Bernstein, "ChaCha, a variant of Salsa20", 2008) gives 768 bytes
 * from a key, of which the first 32 are the next key. SUPERCOP's tests begin it
 * with the key zero, and so do we.
 */
#include "operation.h"

#include "secret.h"

#include <string.h>

#define BLOCKS 12 /* of a key: the begin of the first is the next key */
#define BLOCK_BYTES 64
#if defined(ASSAY_SMALL)
#define MOST_SUPPLIED 64
#else
#define MOST_SUPPLIED 65536
#endif
#define REPEATED 0x5c

/* Code that runs beside other code draws from a generator of its own. */
#if defined(__linux__) && __STDC_HOSTED__ && !defined(__TINYC__)
#define PER_THREAD static __thread
#else
#define PER_THREAD static
#define ONE_FOR_ALL 1
#endif

unsigned long long randombytes_calls, randombytes_bytes;

PER_THREAD uint8_t key[RANDOM_KEY_BYTES], next_key[RANDOM_KEY_BYTES], part[BLOCK_BYTES];
PER_THREAD uint32_t blocks = BLOCKS, used = BLOCK_BYTES; /* of the key, and of the last block */
static uint8_t supplied[MOST_SUPPLIED];
static int secrets_are_marked; /* from the first secret of a script on */
PER_THREAD uint32_t supplied_bytes, supplied_used;
static uint32_t logged[MOST_LOGGED];
PER_THREAD uint32_t calls_since_seed;
static enum random_fault fault; /* of all calls from number `faulty` on, until the next seed */
static uint32_t faulty;

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 7);
}

static void block(uint8_t *to, uint32_t counter)
{
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    int i;

    for (i = 0; i < RANDOM_KEY_BYTES; i++)
        start[4 + i / 4] |= (uint32_t)key[i] << (8 * (i % 4));
    start[12] = counter;
    memcpy(x, start, sizeof x);
    for (i = 0; i < 10; i++) {
        quarter(x, 0, 4, 8, 12), quarter(x, 1, 5, 9, 13);
        quarter(x, 2, 6, 10, 14), quarter(x, 3, 7, 11, 15);
        quarter(x, 0, 5, 10, 15), quarter(x, 1, 6, 11, 12);
        quarter(x, 2, 7, 8, 13), quarter(x, 3, 4, 9, 14);
    }
    for (i = 0; i < BLOCK_BYTES; i++)
        to[i] = (uint8_t)((x[i / 4] + start[i / 4]) >> (8 * (i % 4)));
}

static void refill(void)
{
    if (blocks == BLOCKS) {
        memcpy(key, next_key, sizeof key);
        blocks = 0;
    }
    block(part, blocks);
    used = 0;
    if (blocks++ == 0) {
        memcpy(next_key, part, sizeof next_key);
        used = sizeof next_key;
    }
}

void random_seed(const uint8_t seed[RANDOM_KEY_BYTES])
{
    memcpy(next_key, seed, sizeof next_key);
    blocks = BLOCKS;
    used = BLOCK_BYTES;
    supplied_bytes = supplied_used = 0;
    calls_since_seed = 0;
    fault = RANDOM_WORKS;
}

void random_fail(enum random_fault how, uint32_t from)
{
    fault = how;
    faulty = from;
}

int random_is_shared(void)
{
#if defined(ONE_FOR_ALL)
    return 1;
#else
    return 0;
#endif
}

int random_supply(const uint8_t *data, uint32_t length)
{
    if (length > MOST_SUPPLIED)
        return 0;
    memcpy(supplied, data, length);
    supplied_bytes = length;
    supplied_used = 0;
    return 1;
}

void random_counts(uint64_t *calls, uint64_t *bytes)
{
    *calls = randombytes_calls;
    *bytes = randombytes_bytes;
}

const uint32_t *random_log(uint32_t *calls)
{
    *calls = calls_since_seed;
    return logged;
}

/* Takes what is left of `from`, at most `length`; gives how much that was. */
static unsigned long long some(uint8_t *to, unsigned long long length, const uint8_t *from,
                               uint32_t *at, uint32_t end)
{
    unsigned long long there = end - *at < length ? end - *at : length;

    memcpy(to, from + *at, (size_t)there);
    *at += (uint32_t)there;
    return there;
}

/* One that repeats says that all is well; the others say that they failed. */
static int failing(uint8_t *to, unsigned long long length)
{
    if (fault != RANDOM_STAYS_AWAY)
        memset(to, fault == RANDOM_REPEATS ? REPEATED : 0, (size_t)length);
    return fault == RANDOM_REPEATS ? 0 : -1;
}

/* Some APIs want a result and others none: this serves both. */
int randombytes(unsigned char *to, unsigned long long length)
{
    unsigned long long done = some(to, length, supplied, &supplied_used, supplied_bytes);

    if (calls_since_seed < MOST_LOGGED)
        logged[calls_since_seed] = (uint32_t)length;
    calls_since_seed++;
    randombytes_calls++;
    randombytes_bytes += length;
    if (fault != RANDOM_WORKS && calls_since_seed > faulty)
        return failing(to, length);
    while (done < length) {
        if (used == BLOCK_BYTES)
            refill();
        done += some(to + done, length - done, part, &used, BLOCK_BYTES);
    }
    if (secrets_are_marked)
        mark_secret(to, length);
    return 0;
}

void kernelrandombytes(unsigned char *to, unsigned long long length) { randombytes(to, length); }

int marks_secrets(void) { return secret_marks(); }

void mark_secret(const void *from, uint64_t length)
{
    secrets_are_marked = secret_marks();
    secret_hide(from, length);
}

void mark_public(const void *from, uint64_t length) { secret_show(from, length); }
