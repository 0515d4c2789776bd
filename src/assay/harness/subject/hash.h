/* SPDX-License-Identifier: MIT */
/*
 * What every hash function looks like to the agent, whatever API it came in.
 *
 * Lengths are in bytes, but `out_bits` and `n` in bits. `close` is given the last
 * partial byte: its upper `n` bits (0 to 7) belong to the message.
 */
#ifndef ASSAY_SUBJECT_HASH_H
#define ASSAY_SUBJECT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The size of a context; one that needs more than 31 bits is no size. */
#define ASSAY_CONTEXT_BYTES(type) \
    (sizeof(type) / 2 > 0x3fffffff ? 0xffffffff : (uint32_t)sizeof(type))

struct assay_hash_subject {
    const char *api;
    const char *name;
    uint32_t context_bytes;
    uint32_t context_alignment; /* 1, 2, 4, ... */
    void (*init)(void *ctx, uint32_t out_bits);
    void (*update)(void *ctx, const uint8_t *data, size_t len);
    void (*close)(void *ctx, uint32_t ub, uint32_t n, uint8_t *dst);

    /* Of APIs whose functions say whether they succeed, and that have one for a whole message;
     * else NULL. `refused` is 0 if all calls since it was last asked have succeeded. */
    uint32_t (*refused)(void);
    void (*hash)(uint32_t out_bits, const uint8_t *data, uint64_t bits, uint8_t *dst);
};

/* A function, not an object: it can decide at run time what is there. */
const struct assay_hash_subject *assay_hash_subject(void);

#endif
