/* SPDX-License-Identifier: MIT */
/* Adapter: a package of the API `ecrypt-sync-ae`, seen as a stream subject. */

#include "ecrypt-portable.h"
#include "ecrypt-sync-ae.h"

#include "ecrypt.h"

static uint32_t mac_bits(uint32_t i) { return (uint32_t)(ECRYPT_MACSIZE((int)i)); }

static void init(void) { ECRYPT_init(); }

static void keysetup(void *ctx, const uint8_t *key, uint32_t keysize, uint32_t ivsize,
                     uint32_t macsize)
{
    ECRYPT_AE_keysetup(ctx, key, keysize, ivsize, macsize);
}

static void ivsetup(void *ctx, const uint8_t *iv) { ECRYPT_AE_ivsetup(ctx, iv); }

static void encrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_AE_encrypt_bytes((ECRYPT_AE_ctx *)ctx, in, out, count);
}

static void decrypt_bytes(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_AE_decrypt_bytes((ECRYPT_AE_ctx *)ctx, in, out, count);
}

static void encrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_AE_encrypt_blocks((ECRYPT_AE_ctx *)ctx, in, out, count);
}

static void decrypt_blocks(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count)
{
    ECRYPT_AE_decrypt_blocks((ECRYPT_AE_ctx *)ctx, in, out, count);
}

static void encrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac)
{
    ECRYPT_AE_encrypt_packet((ECRYPT_AE_ctx *)ctx, iv, aad, aadlen, in, out, msglen, mac);
}

static void decrypt_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen,
                           const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac)
{
    ECRYPT_AE_decrypt_packet((ECRYPT_AE_ctx *)ctx, iv, aad, aadlen, in, out, msglen, mac);
}

static void finalize(void *ctx, uint8_t *mac) { ECRYPT_AE_finalize(ctx, mac); }

#ifdef ECRYPT_SUPPORTS_AAD
static void authenticate_bytes(void *ctx, const uint8_t *aad, uint32_t length)
{
    ECRYPT_AE_authenticate_bytes((ECRYPT_AE_ctx *)ctx, aad, length);
}
#endif

#if defined(ECRYPT_SUPPORTS_AAD) && defined(ECRYPT_AE_authenticate_blocks)
static void authenticate_blocks(void *ctx, const uint8_t *aad, uint32_t blocks)
{
    ECRYPT_AE_authenticate_blocks((ECRYPT_AE_ctx *)ctx, aad, blocks);
}
#endif

static const struct assay_stream_subject subject = {
    .api = "ecrypt-sync-ae",
    .name = ASSAY_NAME,
    .profile = ASSAY_PROFILE,
    .context_bytes = ASSAY_CONTEXT_BYTES(ECRYPT_AE_ctx),
    .block_bytes = ECRYPT_BLOCKLENGTH,
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
