/* SPDX-License-Identifier: MIT */
/*
 * Packet functions of eSTREAM ciphers that bring none. The file of an API defines before what
 * `ecrypt-calls.h` asks for.
 */

#include "ecrypt-portable.h"

#define ECRYPT_QUOTE(text) #text
#define ECRYPT_HEADER(name) ECRYPT_QUOTE(name)
#include ECRYPT_HEADER(ECRYPT_API)

#include "../adapters/ecrypt-calls.h"

#ifndef GIVES_WAY
#define GIVES_WAY
#endif

/* The parameters of a packet function, behind the action that some have. */
#define ASSAY_PACKET_PARAMETERS \
    ASSAY_ECRYPT(ctx) * ctx, const u8 *iv, ASSAY_IF_MAC(const u8 *aad, u32 aadlen, ) \
    const u8 *input, u8 *output, u32 msglen ASSAY_IF_MAC(, u8 *mac)

/* The calls of a packet before and behind the message. */
#define ASSAY_BEGIN \
    ASSAY_IF_BACK(u8 previous[ECRYPT_SYNCLENGTH] = {0};) \
    ASSAY_CALL(ivsetup, ctx, ASSAY_IF_BACK(previous, ) iv); \
    ASSAY_ADD_DATA
#if defined(ASSAY_AUTHENTICATES) && defined(ECRYPT_SUPPORTS_AAD)
#define ASSAY_ADD_DATA ASSAY_CALL(authenticate_bytes, ctx, ASSAY_IF_BACK(previous, ) aad, aadlen);
#else
#define ASSAY_ADD_DATA ASSAY_IF_MAC((void)aad; (void)aadlen;)
#endif
#define ASSAY_END ASSAY_IF_MAC(ECRYPT_AE_finalize(ctx, mac);)
#define ASSAY_MESSAGE ctx, ASSAY_IF_BACK(previous, ) input, output, msglen

#ifdef ECRYPT_USES_DEFAULT_ALL_IN_ONE

/* Of the APIs only `ecrypt-ssyn` has no function for both ways. */
#if defined(ECRYPT_HAS_SINGLE_PACKET_FUNCTION) && \
    (defined(ASSAY_AUTHENTICATES) || !defined(ASSAY_FEEDS_BACK))

void ASSAY_ECRYPT(process_packet)(int action, ASSAY_PACKET_PARAMETERS)
{
    ASSAY_BEGIN
#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION
    ASSAY_CALL(process_bytes, action, ASSAY_MESSAGE);
#else
    if (action == 0)
        ASSAY_CALL(encrypt_bytes, ASSAY_MESSAGE);
    else
        ASSAY_CALL(decrypt_bytes, ASSAY_MESSAGE);
#endif
    ASSAY_END
}

#else

GIVES_WAY void ASSAY_ECRYPT(encrypt_packet)(ASSAY_PACKET_PARAMETERS)
{
    ASSAY_BEGIN
    ASSAY_CALL(encrypt_bytes, ASSAY_MESSAGE);
    ASSAY_END
}

GIVES_WAY void ASSAY_ECRYPT(decrypt_packet)(ASSAY_PACKET_PARAMETERS)
{
    ASSAY_BEGIN
    ASSAY_CALL(decrypt_bytes, ASSAY_MESSAGE);
    ASSAY_END
}

#endif

#endif
