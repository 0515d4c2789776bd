/* SPDX-License-Identifier: MIT */
/* Adapter: a package of the API `ecrypt-sync`, seen as a stream subject. */

#include "ecrypt-portable.h"
#include "ecrypt-sync.h"

#define ASSAY_API "ecrypt-sync"
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

const struct assay_stream_subject *assay_stream_subject(void)
{
#ifdef ECRYPT_GENERATES_KEYSTREAM
    subject.flags |= ASSAY_GENERATES_KEYSTREAM;
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
