/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-ssyn.c - packet functions of self-synchronising ciphers that bring none.
 *
 * Submissions exist that say they use these and have copies of them in their own source.
 * Weak ones give way to those; object files of Windows have no weak definitions.
 */

#include "ecrypt-portable.h"

#define ECRYPT_QUOTE(text) #text
#define ECRYPT_HEADER(name) ECRYPT_QUOTE(name)
#include ECRYPT_HEADER(ECRYPT_API)

#if !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__) || defined(__TINYC__))
#define GIVES_WAY __attribute__((weak))
#else
#define GIVES_WAY
#endif

#ifdef ECRYPT_USES_DEFAULT_ALL_IN_ONE

GIVES_WAY void ECRYPT_encrypt_packet(
  ECRYPT_ctx* ctx,
  const u8* iv,
  const u8* plaintext,
  u8* ciphertext,
  u32 msglen)
{
  u8 previous[ECRYPT_SYNCLENGTH] = {0};

  ECRYPT_ivsetup(ctx, previous, iv);
  ECRYPT_encrypt_bytes(ctx, previous, plaintext, ciphertext, msglen);
}

GIVES_WAY void ECRYPT_decrypt_packet(
  ECRYPT_ctx* ctx,
  const u8* iv,
  const u8* ciphertext,
  u8* plaintext,
  u32 msglen)
{
  u8 previous[ECRYPT_SYNCLENGTH] = {0};

  ECRYPT_ivsetup(ctx, previous, iv);
  ECRYPT_decrypt_bytes(ctx, previous, ciphertext, plaintext, msglen);
}

#endif
