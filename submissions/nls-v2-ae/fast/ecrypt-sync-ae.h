/* SPDX-License-Identifier: CC0-1.0 */
/*
 * NLS version 2 with its MAC, Mundja, seventeen steps at a time.
 *
 * Specification: Philip Hawkes, Cameron McDonald, Michael Paddon, Gregory G. Rose and Miriam
 * Wiggers de Vries, "Specification for NLSv2", New Stream Cipher Designs, LNCS 4986 (2008).
 */

#ifndef ECRYPT_SYNC_AE
#define ECRYPT_SYNC_AE
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#undef ECRYPT_SUPPORTS_UAE

#define ECRYPT_NAME "NLS-v2"
#define ECRYPT_PROFILE "S3___"

/* Sizes in bits. */
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (80 + (i) * 48)

#define ECRYPT_MAXIVSIZE 128
#define ECRYPT_IVSIZE(i) (32 + (i) * 32)

#define ECRYPT_MAXMACSIZE 128
#define ECRYPT_MACSIZE(i) (32 + (i) * 32)

typedef struct {
    u32 r[17];     /* the register, r_0 first */
    u32 Konst;
    u32 steps;     /* since the nonce was loaded */
    u32 recent;    /* since Konst was last changed */
    u32 keyed[17]; /* the register when the key is loaded */
    u32 ivsize;    /* bits */
    u32 macsize;   /* bits */
    u32 M[8];      /* the SHA register of the MAC */
    u32 C[8];      /* the CRC register of the MAC */
    u32 position;  /* in the word that is begun, in bytes */
    u32 stream;    /* key stream of that word */
    u32 text;      /* plaintext of that word */
} ECRYPT_AE_ctx;

/* Once per process, before anything else. */
void ECRYPT_init(void);

/* keysize, ivsize and macsize in bits, each one of the sizes above. */
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize);

/* Starts a message: any number of times per key. */
void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv);

/* Ends a message: writes the MAC, the same after encryption as after decryption. */
void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac);

/* Additional data: before the message, in any number of pieces of any length. */
#define ECRYPT_SUPPORTS_AAD
#define ECRYPT_SUPPORTS_INCREMENTAL_AAD

void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, const u8 *aad, u32 aadlen);

/*
 * A message is any number of calls of *_blocks, then at most one call of *_bytes.
 * in == out is allowed; any other overlap is not.
 */

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#define ECRYPT_AE_encrypt_bytes(ctx, plaintext, ciphertext, msglen) \
    ECRYPT_AE_process_bytes(0, ctx, plaintext, ciphertext, msglen)
#define ECRYPT_AE_decrypt_bytes(ctx, ciphertext, plaintext, msglen) \
    ECRYPT_AE_process_bytes(1, ctx, ciphertext, plaintext, msglen)

/* action: 0 encrypts, 1 decrypts. */
void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output,
                             u32 msglen);

/* A packet is a whole message: the framework makes it from the functions above. */
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#define ECRYPT_AE_encrypt_packet(ctx, iv, aad, aadlen, plaintext, ciphertext, msglen, mac) \
    ECRYPT_AE_process_packet(0, ctx, iv, aad, aadlen, plaintext, ciphertext, msglen, mac)
#define ECRYPT_AE_decrypt_packet(ctx, iv, aad, aadlen, ciphertext, plaintext, msglen, mac) \
    ECRYPT_AE_process_packet(1, ctx, iv, aad, aadlen, ciphertext, plaintext, msglen, mac)

void ECRYPT_AE_process_packet(int action, ECRYPT_AE_ctx *ctx, const u8 *iv, const u8 *aad,
                              u32 aadlen, const u8 *input, u8 *output, u32 msglen, u8 *mac);

/* Bytes per block. */
#define ECRYPT_BLOCKLENGTH 4

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_AE_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
    ECRYPT_AE_encrypt_bytes(ctx, plaintext, ciphertext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_AE_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
    ECRYPT_AE_decrypt_bytes(ctx, ciphertext, plaintext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_AE_authenticate_blocks(ctx, aad, blocks) \
    ECRYPT_AE_authenticate_bytes(ctx, aad, (blocks) * ECRYPT_BLOCKLENGTH)

#define ECRYPT_MAXVARIANT 1

#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#if ECRYPT_VARIANT > ECRYPT_MAXVARIANT
#error this variant does not exist
#endif

#endif
