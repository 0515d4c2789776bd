/* SPDX-License-Identifier: MIT */
/*
 * Salsa20 (D. J. Bernstein, "The Salsa20 family of stream ciphers") for the bench:
 * the inputs of checksum tests, and the chain of cores that makes a checksum of outputs.
 * This runs in the bench's process: only its own numbers come here, never an agent's.
 */
#include <stdint.h>
#include <string.h>

#define BLOCK_BYTES 64
#define KEY_BYTES 32
#define INPUT_BYTES 16

#define ROTATE(x, n) ((uint32_t)((x) << (n)) | ((x) >> (32 - (n))))

#define QUARTER(a, b, c, d)      \
    do {                         \
        b ^= ROTATE(a + d, 7);   \
        c ^= ROTATE(b + a, 9);   \
        d ^= ROTATE(c + b, 13);  \
        a ^= ROTATE(d + c, 18);  \
    } while (0)

static uint32_t load(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static void store(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
}

/* The input of the Salsa20 function: diagonal constants, two halves of the key, 16 bytes. */
static void expand(uint32_t x[16], const uint8_t *in, const uint8_t *key)
{
    static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
    unsigned i;

    for (i = 0; i < 4; i++) {
        x[5 * i] = constants[i];
        x[1 + i] = load(key + 4 * i);
        x[6 + i] = load(in + 4 * i);
        x[11 + i] = load(key + 16 + 4 * i);
    }
}

static void rounds(uint32_t y[16], const uint32_t x[16])
{
    uint32_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6];
    uint32_t x7 = x[7], x8 = x[8], x9 = x[9], x10 = x[10], x11 = x[11], x12 = x[12];
    uint32_t x13 = x[13], x14 = x[14], x15 = x[15];
    unsigned i;

    for (i = 0; i < 10; i++) {
        QUARTER(x0, x4, x8, x12);
        QUARTER(x5, x9, x13, x1);
        QUARTER(x10, x14, x2, x6);
        QUARTER(x15, x3, x7, x11);
        QUARTER(x0, x1, x2, x3);
        QUARTER(x5, x6, x7, x4);
        QUARTER(x10, x11, x8, x9);
        QUARTER(x15, x12, x13, x14);
    }
    y[0] = x0 + x[0], y[1] = x1 + x[1], y[2] = x2 + x[2], y[3] = x3 + x[3];
    y[4] = x4 + x[4], y[5] = x5 + x[5], y[6] = x6 + x[6], y[7] = x7 + x[7];
    y[8] = x8 + x[8], y[9] = x9 + x[9], y[10] = x10 + x[10], y[11] = x11 + x[11];
    y[12] = x12 + x[12], y[13] = x13 + x[13], y[14] = x14 + x[14], y[15] = x15 + x[15];
}

/* to, in and key may overlap */
void assay_core(uint8_t to[BLOCK_BYTES], const uint8_t in[INPUT_BYTES], const uint8_t key[KEY_BYTES])
{
    uint32_t x[16], y[16];
    unsigned i;

    expand(x, in, key);
    rounds(y, x);
    for (i = 0; i < 16; i++)
        store(to + 4 * i, y[i]);
}

static void stream(uint8_t *to, uint64_t length, uint64_t nonce, const uint8_t *key)
{
    uint8_t in[INPUT_BYTES], block[BLOCK_BYTES];
    uint64_t count;

    store(in, (uint32_t)nonce);
    store(in + 4, (uint32_t)(nonce >> 32));
    for (count = 0; length > 0; count++) {
        uint64_t part = length < BLOCK_BYTES ? length : BLOCK_BYTES;

        store(in + 8, (uint32_t)count);
        store(in + 12, (uint32_t)(count >> 32));
        assay_core(block, in, key);
        memcpy(to, block, (size_t)part);
        to += part;
        length -= part;
    }
}

/* The starts of many streams: lengths[i] bytes at to + offsets[i] from nonces[i]. */
void assay_pieces(uint8_t *to, const uint8_t key[KEY_BYTES], const uint64_t *nonces,
                  const uint64_t *offsets, const uint64_t *lengths, uint64_t count)
{
    uint64_t i;

    for (i = 0; i < count; i++)
        stream(to + offsets[i], lengths[i], nonces[i], key);
}

static void absorb_one(uint8_t state[BLOCK_BYTES], const uint8_t *from, uint64_t length)
{
    uint8_t last[INPUT_BYTES] = {0};

    for (; length >= INPUT_BYTES; from += INPUT_BYTES, length -= INPUT_BYTES)
        assay_core(state, from, state);
    memcpy(last, from, (size_t)length);
    last[length] = 1;
    state[0] ^= 1;
    assay_core(state, last, state);
}

/* Absorbs many strings, one after another; the first 32 bytes of the state are the checksum. */
void assay_absorb(uint8_t state[BLOCK_BYTES], const uint8_t *from, const uint64_t *offsets,
                  const uint64_t *lengths, uint64_t count)
{
    uint64_t i;

    for (i = 0; i < count; i++)
        absorb_one(state, from + offsets[i], lengths[i]);
}
