/* SPDX-License-Identifier: MIT */
/* Adapter: a package of the API `ecrypt-sync`, seen as a stream subject. */

#include "ecrypt-portable.h"
#include "ecrypt-sync.h"

#include "ecrypt.h"

/*
 * An old skeleton's ECRYPT_keystream_blocks names a function that this API does not
 * have (quirk/keystream-misnamed). The original framework never expanded the macro.
 */
#ifndef ECRYPT_AE_keystream_bytes
#define ECRYPT_AE_keystream_bytes ECRYPT_keystream_bytes
#endif

#if defined(ECRYPT_GENERATES_KEYSTREAM) && !defined(ECRYPT_keystream_bytes)
extern __typeof__(ECRYPT_keystream_bytes) ECRYPT_keystream_bytes ASSAY_WEAK;
#endif
#if defined(ECRYPT_GENERATES_KEYSTREAM) && !defined(ECRYPT_USES_DEFAULT_BLOCK_MACROS) && \
    !defined(ECRYPT_keystream_blocks)
extern __typeof__(ECRYPT_keystream_blocks) ECRYPT_keystream_blocks ASSAY_WEAK;
#endif

static void init(void) { ECRYPT_init(); }

static void keysetup(void *ctx, const uint8_t *key, uint32_t keysize, uint32_t ivsize,
                     uint32_t macsize)
{
    (void)macsize;
    ECRYPT_keysetup(ctx, key, keysize, ivsize);
}

static void ivsetup(void *ctx, const uint8_t *iv) { ECRYPT_ivsetup(ctx, iv); }

static void encrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_encrypt_bytes((ECRYPT_ctx *)ctx, in, out, count);
}

static void decrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_decrypt_bytes((ECRYPT_ctx *)ctx, in, out, count);
}

static void encrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_encrypt_blocks((ECRYPT_ctx *)ctx, in, out, count);
}

static void decrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_decrypt_blocks((ECRYPT_ctx *)ctx, in, out, count);
}

static void encrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac)
{
    (void)aad, (void)aadlen, (void)mac;
    ECRYPT_encrypt_packet((ECRYPT_ctx *)ctx, iv, in, out, msglen);
}

static void decrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac)
{
    (void)aad, (void)aadlen, (void)mac;
    ECRYPT_decrypt_packet((ECRYPT_ctx *)ctx, iv, in, out, msglen);
}

#ifdef ECRYPT_GENERATES_KEYSTREAM
static void keystream_bytes(void *ctx, uint8_t *out, uint32_t length)
{
    ECRYPT_keystream_bytes((ECRYPT_ctx *)ctx, out, length);
}

static void keystream_blocks(void *ctx, uint8_t *out, uint32_t blocks)
{
    ECRYPT_keystream_blocks((ECRYPT_ctx *)ctx, out, blocks);
}
#endif

static struct assay_stream_subject subject = {
    .api = "ecrypt-sync",
    .name = ASSAY_NAME,
    .profile = ASSAY_PROFILE,
    .context_bytes = ASSAY_CONTEXT_BYTES(ECRYPT_ctx),
    .block_bytes = ECRYPT_BLOCKLENGTH,
    .buffer_bytes = ASSAY_BUFFER_BYTES,
    .used_bits = ECRYPT_ASSAY_USED_BITS,
    .flags = ASSAY_COMMON_FLAGS
#ifdef ECRYPT_GENERATES_KEYSTREAM
             | ASSAY_GENERATES_KEYSTREAM
#endif
    ,
    .max_key_bits = ECRYPT_MAXKEYSIZE,
    .max_iv_bits = ECRYPT_MAXIVSIZE,
    .key_bits = key_bits,
    .iv_bits = iv_bits,
    .init = init,
    .keysetup = keysetup,
    .ivsetup = ivsetup,
    .crypt_bytes = {encrypt_bytes, decrypt_bytes},
    .crypt_blocks = {encrypt_blocks, decrypt_blocks},
    .crypt_packet = {encrypt_packet, decrypt_packet},
};

const struct assay_stream_subject *assay_stream_subject(void)
{
#ifdef ECRYPT_GENERATES_KEYSTREAM
#ifdef ECRYPT_keystream_bytes
    subject.keystream_bytes = keystream_bytes;
#else
    subject.keystream_bytes = ASSAY_PRESENT(ECRYPT_keystream_bytes) ? keystream_bytes : NULL;
#endif
#ifdef ECRYPT_keystream_blocks /* a macro over *_bytes */
    subject.keystream_blocks = subject.keystream_bytes ? keystream_blocks : NULL;
#else
    subject.keystream_blocks = ASSAY_PRESENT(ECRYPT_keystream_blocks) ? keystream_blocks : NULL;
#endif
#endif
    return &subject;
}
