/* SPDX-License-Identifier: MIT */
/* The kind `stream`: how its subject is described and called. */

#include "stream.h"

#include "kind.h"

#include <stddef.h>

#define MOST_SIZES 1024 /* an enumeration that never ends is cut here; the bench sees it */

/* The sizes as the header enumerates them: up to and without the first that
 * is above the maximum; also cut after the first that does not increase. */
static uint32_t count_sizes(uint32_t (*size)(uint32_t), uint32_t maximum)
{
    uint32_t count = 0, last = 0, value;

    while (size && count < MOST_SIZES) {
        value = size(count);
        if (count > 0 && value > maximum)
            break;
        count++;
        if (value > maximum || (count > 1 && value <= last))
            break;
        last = value;
    }
    return count;
}

/* Enumerated twice: a small board has no room for a thousand numbers. */
static void give_sizes(uint32_t (*size)(uint32_t), uint32_t maximum)
{
    uint32_t count = count_sizes(size, maximum), i;

    give_u32(maximum);
    give_u32(count);
    for (i = 0; i < count; i++)
        give_u32(size(i));
}

static uint32_t functions_present(const struct assay_stream_subject *s)
{
    uint32_t present = (1u << FUNCTION_KEYSTREAM_BYTES) - 1;

    present |= (uint32_t)(s->keystream_bytes != NULL) << FUNCTION_KEYSTREAM_BYTES;
    present |= (uint32_t)(s->keystream_blocks != NULL) << FUNCTION_KEYSTREAM_BLOCKS;
    present |= 3u << FUNCTION_ENCRYPT_PACKET;
    present |= (uint32_t)(s->authenticate_bytes != NULL) << FUNCTION_AUTHENTICATE_BYTES;
    present |= (uint32_t)(s->authenticate_blocks != NULL) << FUNCTION_AUTHENTICATE_BLOCKS;
    present |= (uint32_t)(s->finalize != NULL) << FUNCTION_FINALIZE;
    return present;
}

static void describe(void)
{
    const struct assay_stream_subject *s = assay_stream_subject();

    give_text(s->api);
    give_text(s->name);
    give_text(s->profile);
    give_u32(s->context_bytes);
    give_u32(s->block_bytes);
    give_u32(s->buffer_bytes);
    give_u32(s->flags);
    give_u32(functions_present(s));
    give_u32(s->used_bits);
    give_sizes(s->key_bits, s->max_key_bits);
    give_sizes(s->iv_bits, s->max_iv_bits);
    give_sizes(s->mac_bits, s->max_mac_bits);
}

typedef void any_function(void);
#define ANY(function) ((any_function *)(function))

static any_function *function_of(unsigned number)
{
    const struct assay_stream_subject *s = assay_stream_subject();

    switch (number) {
    case FUNCTION_INIT: return ANY(s->init);
    case FUNCTION_KEYSETUP: return ANY(s->keysetup);
    case FUNCTION_IVSETUP: return ANY(s->ivsetup);
    case FUNCTION_ENCRYPT_BYTES: return ANY(s->crypt_bytes[0]);
    case FUNCTION_DECRYPT_BYTES: return ANY(s->crypt_bytes[1]);
    case FUNCTION_ENCRYPT_BLOCKS: return ANY(s->crypt_blocks[0]);
    case FUNCTION_DECRYPT_BLOCKS: return ANY(s->crypt_blocks[1]);
    case FUNCTION_KEYSTREAM_BYTES: return ANY(s->keystream_bytes);
    case FUNCTION_KEYSTREAM_BLOCKS: return ANY(s->keystream_blocks);
    case FUNCTION_ENCRYPT_PACKET: return ANY(s->crypt_packet[0]);
    case FUNCTION_DECRYPT_PACKET: return ANY(s->crypt_packet[1]);
    case FUNCTION_AUTHENTICATE_BYTES: return ANY(s->authenticate_bytes);
    case FUNCTION_AUTHENTICATE_BLOCKS: return ANY(s->authenticate_blocks);
    case FUNCTION_FINALIZE: return ANY(s->finalize);
    default: return NULL;
    }
}

/* Arguments are pointers, then numbers, but for packets. */
static void watched_call(const struct call *c)
{
    uint64_t words[MOST_POINTERS + MOST_NUMBERS] = {0};
    any_function *function = function_of(c->function);
    unsigned i, count = 0;

    for (i = 0; i < c->pointers; i++)
        words[count++] = (uint64_t)(uintptr_t)c->p[i];
    for (i = 0; i < c->numbers; i++)
        words[count++] = abi_half(c->n[i]);
    if (c->function == FUNCTION_ENCRYPT_PACKET || c->function == FUNCTION_DECRYPT_PACKET) {
        for (i = 3; i < MOST_POINTERS; i++)
            words[i + (i < 5 ? 1 : 2)] = (uint64_t)(uintptr_t)c->p[i];
        words[3] = abi_half(c->n[0]);
        words[6] = abi_half(c->n[1]);
        count = 8;
    }
    if (function)
        (void)abi_call(c->function, function, words,
                       count > ABI_REGISTER_WORDS ? count - ABI_REGISTER_WORDS : 0);
}

static void do_call(void *argument)
{
    struct call *c = argument;
    const struct assay_stream_subject *s = assay_stream_subject();
    uint8_t **p = c->p;
    uint32_t *n = c->n;

    if (abi_watching()) {
        watched_call(c);
        return;
    }
    switch (c->function) {
    case FUNCTION_INIT: s->init(); break;
    case FUNCTION_KEYSETUP: s->keysetup(p[0], p[1], n[0], n[1], n[2]); break;
    case FUNCTION_IVSETUP: s->ivsetup(p[0], p[1]); break;
    case FUNCTION_ENCRYPT_BYTES:
    case FUNCTION_DECRYPT_BYTES:
        s->crypt_bytes[c->function == FUNCTION_DECRYPT_BYTES](p[0], p[1], p[2], n[0]);
        break;
    case FUNCTION_ENCRYPT_BLOCKS:
    case FUNCTION_DECRYPT_BLOCKS:
        s->crypt_blocks[c->function == FUNCTION_DECRYPT_BLOCKS](p[0], p[1], p[2], n[0]);
        break;
    case FUNCTION_KEYSTREAM_BYTES: s->keystream_bytes(p[0], p[1], n[0]); break;
    case FUNCTION_KEYSTREAM_BLOCKS: s->keystream_blocks(p[0], p[1], n[0]); break;
    case FUNCTION_ENCRYPT_PACKET:
    case FUNCTION_DECRYPT_PACKET:
        s->crypt_packet[c->function == FUNCTION_DECRYPT_PACKET](p[0], p[1], p[2], n[0], p[3],
                                                                p[4], n[1], p[5]);
        break;
    case FUNCTION_AUTHENTICATE_BYTES: s->authenticate_bytes(p[0], p[1], n[0]); break;
    case FUNCTION_AUTHENTICATE_BLOCKS: s->authenticate_blocks(p[0], p[1], n[0]); break;
    case FUNCTION_FINALIZE: s->finalize(p[0], p[1]); break;
    default: call_nothing(p[0], p[1], n[0]); break;
    }
    CALL_RETURNS;
}

static enum status call(struct call *c)
{
    uint32_t present = functions_present(assay_stream_subject());

    if (c->function == FUNCTION_THREADS)
        return stream_threads(c);
    if (c->function == FUNCTION_LONG)
        return stream_long(c);
    if (c->function != FUNCTION_NOTHING &&
        (c->function >= FUNCTION_COUNT || !(present >> c->function & 1)))
        return STATUS_BAD_REQUEST;
    return stack_watched(do_call, c);
}

const struct kind assay_kind = {"stream", describe, call, NULL};
