/* SPDX-License-Identifier: MIT */
/* The subject once more, called as requests call it: what was timed is repeated so. */

#include "stream.h"

#include "kind.h"

static enum status first_problem;

static void perform(struct call *c)
{
    if (first_problem == STATUS_OK)
        first_problem = assay_kind.call(c);
}

static uint8_t *unconst(const uint8_t *p) { return (uint8_t *)(uintptr_t)p; }

static void keysetup(void *ctx, const uint8_t *key, uint32_t key_bits, uint32_t iv_bits,
                     uint32_t mac_bits)
{
    struct call c = {FUNCTION_KEYSETUP, 2, 3, {ctx, unconst(key)}, {key_bits, iv_bits, mac_bits}};

    perform(&c);
}

static void ivsetup(void *ctx, const uint8_t *iv)
{
    struct call c = {FUNCTION_IVSETUP, 2, 0, {ctx, unconst(iv)}, {0}};

    perform(&c);
}

static void encrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t length)
{
    struct call c = {FUNCTION_ENCRYPT_BYTES, 3, 1, {ctx, unconst(in), out}, {length}};

    perform(&c);
}

static void encrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t blocks)
{
    struct call c = {FUNCTION_ENCRYPT_BLOCKS, 3, 1, {ctx, unconst(in), out}, {blocks}};

    perform(&c);
}

static void encrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t length, uint8_t *mac)
{
    struct call c = {FUNCTION_ENCRYPT_PACKET,
                     6,
                     2,
                     {ctx, unconst(iv), unconst(aad), unconst(in), out, mac},
                     {aadlen, length}};

    perform(&c);
}

static void finalize(void *ctx, uint8_t *mac)
{
    struct call c = {FUNCTION_FINALIZE, 2, 0, {ctx, mac}, {0}};

    perform(&c);
}

const struct assay_stream_subject *stream_by_calls(void)
{
    static struct assay_stream_subject by_calls;

    by_calls = *assay_stream_subject();
    by_calls.keysetup = keysetup;
    by_calls.ivsetup = ivsetup;
    by_calls.crypt_bytes[0] = encrypt_bytes;
    by_calls.crypt_blocks[0] = encrypt_blocks;
    by_calls.crypt_packet[0] = encrypt_packet;
    by_calls.finalize = by_calls.finalize ? finalize : NULL;
    return &by_calls;
}

enum status stream_calls_status(void)
{
    enum status status = first_problem;

    first_problem = STATUS_OK;
    return status;
}
