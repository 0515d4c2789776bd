/* SPDX-License-Identifier: MIT */
/*
 * Adapter: a package of the API `ecrypt-ssyn-ae`, seen as a stream subject.
 *
 * Such a cipher is given the last ECRYPT_SYNCLENGTH bytes of ciphertext with every call.
 * The subject's context is the cipher's and these bytes. They are kept by the adapter and
 * not pointed to, since the text may be processed in place.
 */

#include "ecrypt-portable.h"
#include "ecrypt-ssyn-ae.h"

#include "ecrypt.h"

typedef struct {
    ECRYPT_AE_ctx ctx;
    u8 previous[ECRYPT_SYNCLENGTH];
} context;

/* What `previous` becomes when `length` bytes of ciphertext follow. */
static void last(u8 *to, const u8 *previous, const u8 *ciphertext, uint32_t length)
{
    const uint32_t kept = length < ECRYPT_SYNCLENGTH ? ECRYPT_SYNCLENGTH - length : 0;
    uint32_t i;

    for (i = 0; i < kept; i++)
        to[i] = previous[length + i];
    for (; i < ECRYPT_SYNCLENGTH; i++)
        to[i] = ciphertext[length + i - ECRYPT_SYNCLENGTH];
}

static uint32_t mac_bits(uint32_t i) { return (uint32_t)(ECRYPT_MACSIZE((int)i)); }

static void put(u8 *to, const u8 *from)
{
    uint32_t i;

    for (i = 0; i < ECRYPT_SYNCLENGTH; i++)
        to[i] = from[i];
}

static void init(void) { ECRYPT_init(); }

static void keysetup(void *ctx, const uint8_t *key, uint32_t keysize, uint32_t ivsize,
                     uint32_t macsize)
{
    ECRYPT_AE_keysetup(&((context *)ctx)->ctx, key, keysize, ivsize, macsize);
}

static void ivsetup(void *ctx, const uint8_t *iv)
{
    context *c = ctx;
    uint32_t i;

    for (i = 0; i < ECRYPT_SYNCLENGTH; i++)
        c->previous[i] = 0;
    ECRYPT_AE_ivsetup(&c->ctx, c->previous, iv);
}

static void encrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    context *c = ctx;
    u8 next[ECRYPT_SYNCLENGTH];

    ECRYPT_AE_encrypt_bytes(&c->ctx, c->previous, in, out, count);
    last(next, c->previous, out, count);
    put(c->previous, next);
}

static void decrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    context *c = ctx;
    u8 next[ECRYPT_SYNCLENGTH];

    last(next, c->previous, in, count);
    ECRYPT_AE_decrypt_bytes(&c->ctx, c->previous, in, out, count);
    put(c->previous, next);
}

static void encrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    context *c = ctx;
    u8 next[ECRYPT_SYNCLENGTH];

    ECRYPT_AE_encrypt_blocks(&c->ctx, c->previous, in, out, count);
    last(next, c->previous, out, count * ECRYPT_SYNCLENGTH);
    put(c->previous, next);
}

static void decrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    context *c = ctx;
    u8 next[ECRYPT_SYNCLENGTH];

    last(next, c->previous, in, count * ECRYPT_SYNCLENGTH);
    ECRYPT_AE_decrypt_blocks(&c->ctx, c->previous, in, out, count);
    put(c->previous, next);
}

static void encrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac)
{
    ECRYPT_AE_encrypt_packet(&((context *)ctx)->ctx, iv, aad, aadlen, in, out, msglen, mac);
}

static void decrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac)
{
    ECRYPT_AE_decrypt_packet(&((context *)ctx)->ctx, iv, aad, aadlen, in, out, msglen, mac);
}

static void finalize(void *ctx, uint8_t *mac)
{
    ECRYPT_AE_finalize(&((context *)ctx)->ctx, mac);
}

#ifdef ECRYPT_SUPPORTS_AAD
static void authenticate_bytes(void *ctx, const uint8_t *aad, uint32_t length)
{
    context *c = ctx;

    ECRYPT_AE_authenticate_bytes(&c->ctx, c->previous, aad, length);
}
#endif

#if defined(ECRYPT_SUPPORTS_AAD) && defined(ECRYPT_AE_authenticate_blocks)
static void authenticate_blocks(void *ctx, const uint8_t *aad, uint32_t blocks)
{
    context *c = ctx;

    ECRYPT_AE_authenticate_blocks(&c->ctx, c->previous, aad, blocks);
}
#endif

static const struct assay_stream_subject subject = {
    .api = "ecrypt-ssyn-ae",
    .name = ASSAY_NAME,
    .profile = ASSAY_PROFILE,
    .context_bytes = ASSAY_CONTEXT_BYTES(context),
    .block_bytes = ECRYPT_SYNCLENGTH,
    .buffer_bytes = ASSAY_BUFFER_BYTES,
    .used_bits = ECRYPT_ASSAY_USED_BITS,
    .flags = ASSAY_COMMON_FLAGS
#ifdef ECRYPT_SUPPORTS_AAD
             | ASSAY_SUPPORTS_AAD
#endif
#ifdef ECRYPT_SUPPORTS_INCREMENTAL_AAD
             | ASSAY_INCREMENTAL_AAD
#endif
    ,
    .max_key_bits = ECRYPT_MAXKEYSIZE,
    .max_iv_bits = ECRYPT_MAXIVSIZE,
    .max_mac_bits = ECRYPT_MAXMACSIZE,
    .key_bits = key_bits,
    .iv_bits = iv_bits,
    .mac_bits = mac_bits,
    .init = init,
    .keysetup = keysetup,
    .ivsetup = ivsetup,
    .crypt_bytes = {encrypt_bytes, decrypt_bytes},
    .crypt_blocks = {encrypt_blocks, decrypt_blocks},
    .crypt_packet = {encrypt_packet, decrypt_packet},
    .finalize = finalize,
#ifdef ECRYPT_SUPPORTS_AAD
    .authenticate_bytes = authenticate_bytes,
#endif
#if defined(ECRYPT_SUPPORTS_AAD) && defined(ECRYPT_AE_authenticate_blocks)
    .authenticate_blocks = authenticate_blocks,
#endif
};

const struct assay_stream_subject *assay_stream_subject(void) { return &subject; }
