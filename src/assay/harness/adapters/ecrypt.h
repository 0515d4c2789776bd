/* SPDX-License-Identifier: MIT */
/*
 * What the adapters of the eSTREAM APIs share: the subject, but for what one of them has alone.
 *
 * An adapter includes its API's header before, and defines ASSAY_API, its name, and what
 * `ecrypt-calls.h` asks for.
 *
 * Keystream functions are announced by several genuine submissions that never
 * define them. Where the compiler knows weak references, a missing one is
 * then a NULL pointer, reported by a check, instead of a failed link.
 *
 * A cipher that feeds back is given the last ECRYPT_SYNCLENGTH bytes of ciphertext with every
 * call. The subject's context is then the cipher's and these bytes. They are kept here and not
 * pointed to, since the text may be processed in place.
 */
#ifndef ASSAY_ADAPTERS_ECRYPT_H
#define ASSAY_ADAPTERS_ECRYPT_H

#include <stddef.h>

#include "../subject/stream.h"
#include "ecrypt-calls.h"

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define ASSAY_WEAK __attribute__((weak))
#define ASSAY_PRESENT(f) ((f) != NULL)
#else
#define ASSAY_WEAK
#define ASSAY_PRESENT(f) 1
#endif

#ifdef ECRYPT_NAME
#define ASSAY_NAME ECRYPT_NAME
#else
#define ASSAY_NAME NULL
#endif

#ifdef ECRYPT_PROFILE
#define ASSAY_PROFILE ECRYPT_PROFILE
#else
#define ASSAY_PROFILE NULL
#endif

#ifdef ECRYPT_BUFFERLENGTH
#define ASSAY_BUFFER_BYTES ECRYPT_BUFFERLENGTH
#else
#define ASSAY_BUFFER_BYTES 0x1000 /* the framework's default */
#endif

/* The flags, which all APIs spell alike. */
#ifdef ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ASSAY_FLAG_MACROS ASSAY_DEFAULT_BLOCK_MACROS
#else
#define ASSAY_FLAG_MACROS 0
#endif
#ifdef ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ASSAY_FLAG_ALL_IN_ONE ASSAY_DEFAULT_ALL_IN_ONE
#else
#define ASSAY_FLAG_ALL_IN_ONE 0
#endif
#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION
#define ASSAY_FLAG_BYTE ASSAY_SINGLE_BYTE_FUNCTION
#else
#define ASSAY_FLAG_BYTE 0
#endif
#ifdef ECRYPT_HAS_SINGLE_PACKET_FUNCTION
#define ASSAY_FLAG_PACKET ASSAY_SINGLE_PACKET_FUNCTION
#else
#define ASSAY_FLAG_PACKET 0
#endif
#ifdef ECRYPT_ASSAY_RULES
#define ASSAY_FLAG_RULES ASSAY_STATES_RULES
#else
#define ASSAY_FLAG_RULES 0
#endif
#ifndef ECRYPT_ASSAY_USED_BITS
#define ECRYPT_ASSAY_USED_BITS 0 /* all */
#endif
#if defined(ECRYPT_SUPPORTS_AAD) && defined(ASSAY_AUTHENTICATES)
#define ASSAY_FLAG_AAD ASSAY_SUPPORTS_AAD
#else
#define ASSAY_FLAG_AAD 0
#endif
#if defined(ECRYPT_SUPPORTS_INCREMENTAL_AAD) && defined(ASSAY_AUTHENTICATES)
#define ASSAY_FLAG_PIECES ASSAY_INCREMENTAL_AAD
#else
#define ASSAY_FLAG_PIECES 0
#endif
#define ASSAY_FLAGS \
    (ASSAY_FLAG_MACROS | ASSAY_FLAG_ALL_IN_ONE | ASSAY_FLAG_BYTE | ASSAY_FLAG_PACKET | \
     ASSAY_FLAG_RULES | ASSAY_FLAG_AAD | ASSAY_FLAG_PIECES)

#ifdef ASSAY_FEEDS_BACK
typedef struct {
    ASSAY_ECRYPT(ctx) ctx;
    u8 previous[ECRYPT_SYNCLENGTH];
} assay_context;
#define ASSAY_CTX (&((assay_context *)ctx)->ctx)
#define ASSAY_PREVIOUS ((assay_context *)ctx)->previous
#define ASSAY_UNIT ECRYPT_SYNCLENGTH

/* What `previous` becomes when `length` bytes of ciphertext follow; `to` may be the same. */
static void last(u8 *to, const u8 *previous, const u8 *ciphertext, uint32_t length)
{
    const uint32_t kept = length < ECRYPT_SYNCLENGTH ? ECRYPT_SYNCLENGTH - length : 0;
    uint32_t i;

    for (i = 0; i < kept; i++)
        to[i] = previous[length + i];
    for (; i < ECRYPT_SYNCLENGTH; i++)
        to[i] = ciphertext[length + i - ECRYPT_SYNCLENGTH];
}
#else
typedef ASSAY_ECRYPT(ctx) assay_context;
#define ASSAY_CTX ((assay_context *)ctx)
#define ASSAY_UNIT ECRYPT_BLOCKLENGTH
#endif

static uint32_t key_bits(uint32_t i) { return (uint32_t)(ECRYPT_KEYSIZE((int)i)); }
static uint32_t iv_bits(uint32_t i) { return (uint32_t)(ECRYPT_IVSIZE((int)i)); }

static void init(void) { ECRYPT_init(); }

static void keysetup(void *ctx, const uint8_t *key, uint32_t keysize, uint32_t ivsize,
                     uint32_t macsize)
{
    (void)macsize;
    ASSAY_CALL(keysetup, ASSAY_CTX, key, keysize, ivsize ASSAY_IF_MAC(, macsize));
}

static void ivsetup(void *ctx, const uint8_t *iv)
{
#ifdef ASSAY_FEEDS_BACK
    for (uint32_t i = 0; i < ECRYPT_SYNCLENGTH; i++)
        ASSAY_PREVIOUS[i] = 0;
#endif
    ASSAY_CALL(ivsetup, ASSAY_CTX, ASSAY_IF_BACK(ASSAY_PREVIOUS, ) iv);
}

/* Defines both directions of a call; what is decrypted may be overwritten. */
#define ASSAY_CRYPT(form, unit) \
    static void encrypt_##form(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count) \
    { \
        ASSAY_CALL(encrypt_##form, ASSAY_CTX, ASSAY_IF_BACK(ASSAY_PREVIOUS, ) in, out, count); \
        ASSAY_IF_BACK(last(ASSAY_PREVIOUS, ASSAY_PREVIOUS, out, count * (unit));) \
    } \
\
    static void decrypt_##form(void *ctx, const uint8_t *in, uint8_t *out, uint32_t count) \
    { \
        ASSAY_IF_BACK(u8 next[ECRYPT_SYNCLENGTH];) \
        ASSAY_IF_BACK(last(next, ASSAY_PREVIOUS, in, count * (unit));) \
        ASSAY_CALL(decrypt_##form, ASSAY_CTX, ASSAY_IF_BACK(ASSAY_PREVIOUS, ) in, out, count); \
        ASSAY_IF_BACK(last(ASSAY_PREVIOUS, ASSAY_PREVIOUS, next, ECRYPT_SYNCLENGTH);) \
    }

ASSAY_CRYPT(bytes, 1)
ASSAY_CRYPT(blocks, ECRYPT_SYNCLENGTH)

#define ASSAY_PACKET(way) \
    static void way##_packet(void *ctx, const uint8_t *iv, const uint8_t *aad, uint32_t aadlen, \
                             const uint8_t *in, uint8_t *out, uint32_t msglen, uint8_t *mac) \
    { \
        (void)aad, (void)aadlen, (void)mac; \
        ASSAY_CALL(way##_packet, ASSAY_CTX, iv, ASSAY_IF_MAC(aad, aadlen, ) in, out, \
                   msglen ASSAY_IF_MAC(, mac)); \
    }

ASSAY_PACKET(encrypt)
ASSAY_PACKET(decrypt)

#ifdef ASSAY_AUTHENTICATES
static uint32_t mac_bits(uint32_t i) { return (uint32_t)(ECRYPT_MACSIZE((int)i)); }

static void finalize(void *ctx, uint8_t *mac) { ECRYPT_AE_finalize(ASSAY_CTX, mac); }

#ifdef ECRYPT_SUPPORTS_AAD
static void authenticate_bytes(void *ctx, const uint8_t *aad, uint32_t length)
{
    ASSAY_CALL(authenticate_bytes, ASSAY_CTX, ASSAY_IF_BACK(ASSAY_PREVIOUS, ) aad, length);
}

#ifdef ECRYPT_AE_authenticate_blocks
static void authenticate_blocks(void *ctx, const uint8_t *aad, uint32_t blocks)
{
    ASSAY_CALL(authenticate_blocks, ASSAY_CTX, ASSAY_IF_BACK(ASSAY_PREVIOUS, ) aad, blocks);
}
#endif
#endif
#endif

static struct assay_stream_subject subject = {
    .api = ASSAY_API,
    .name = ASSAY_NAME,
    .profile = ASSAY_PROFILE,
    .context_bytes = ASSAY_CONTEXT_BYTES(assay_context),
    .block_bytes = ASSAY_UNIT,
    .buffer_bytes = ASSAY_BUFFER_BYTES,
    .used_bits = ECRYPT_ASSAY_USED_BITS,
    .flags = ASSAY_FLAGS,
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
#ifdef ASSAY_AUTHENTICATES
    .max_mac_bits = ECRYPT_MAXMACSIZE,
    .mac_bits = mac_bits,
    .finalize = finalize,
#ifdef ECRYPT_SUPPORTS_AAD
    .authenticate_bytes = authenticate_bytes,
#ifdef ECRYPT_AE_authenticate_blocks
    .authenticate_blocks = authenticate_blocks,
#endif
#endif
#endif
};

#endif
