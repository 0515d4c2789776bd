/* SPDX-License-Identifier: MIT */
/*
 * What every stream cipher looks like to the agent, whatever API it came in.
 *
 * An adapter defines one `assay_stream_subject`. A pointer is NULL where the
 * API or the package lacks the function. Index 0 of a pair encrypts, 1 decrypts.
 * Sizes are in bits, lengths in bytes, as in the eSTREAM API.
 */
#ifndef ASSAY_SUBJECT_STREAM_H
#define ASSAY_SUBJECT_STREAM_H

#include <stdint.h>

/* The size of a context; one that needs more than 31 bits is no size. */
#define ASSAY_CONTEXT_BYTES(type) \
    (sizeof(type) / 2 > 0x3fffffff ? 0xffffffff : (uint32_t)sizeof(type))

enum assay_stream_flag {
    ASSAY_GENERATES_KEYSTREAM = 1 << 0,
    ASSAY_SUPPORTS_AAD = 1 << 1,
    ASSAY_INCREMENTAL_AAD = 1 << 2,
    ASSAY_DEFAULT_BLOCK_MACROS = 1 << 3,
    ASSAY_DEFAULT_ALL_IN_ONE = 1 << 4,
    ASSAY_SINGLE_BYTE_FUNCTION = 1 << 5,
    ASSAY_SINGLE_PACKET_FUNCTION = 1 << 6,
    ASSAY_STATES_RULES = 1 << 7 /* the header is made from Assay's, which states more rules */
};

typedef void assay_crypt_fn(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count);
typedef void assay_packet_fn(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                             const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac);

struct assay_stream_subject {
    const char *api;
    const char *name;    /* NULL if the header has none */
    const char *profile; /* NULL if the header has none */
    uint32_t context_bytes;
    uint32_t block_bytes;
    uint32_t buffer_bytes;
    uint32_t flags;     /* of enum assay_stream_flag */
    uint32_t used_bits; /* how many bits of key and IV matter; 0 if all do */
    uint32_t max_key_bits, max_iv_bits, max_mac_bits;
    uint32_t (*key_bits)(uint32_t i);
    uint32_t (*iv_bits)(uint32_t i);
    uint32_t (*mac_bits)(uint32_t i); /* NULL without a MAC */

    void (*init)(void);
    void (*keysetup)(void *ctx, const uint8_t *key, uint32_t keysize, uint32_t ivsize,
                     uint32_t macsize);
    void (*ivsetup)(void *ctx, const uint8_t *iv);
    assay_crypt_fn *crypt_bytes[2];
    assay_crypt_fn *crypt_blocks[2];
    assay_packet_fn *crypt_packet[2];
    void (*keystream_bytes)(void *ctx, uint8_t *out, uint32_t length);
    void (*keystream_blocks)(void *ctx, uint8_t *out, uint32_t blocks);
    void (*authenticate_bytes)(void *ctx, const uint8_t *aad, uint32_t length);
    void (*authenticate_blocks)(void *ctx, const uint8_t *aad, uint32_t blocks);
    void (*finalize)(void *ctx, uint8_t *mac);
};

/* A function, not an object: it can decide at run time what is there. */
const struct assay_stream_subject *assay_stream_subject(void);

#endif
