/* SPDX-License-Identifier: CC0-1.0 */
#ifndef CHACHA20_H
#define CHACHA20_H

#include <stdint.h>

#define chacha20_xor CRYPTO_NAMESPACE(chacha20_xor)

/* out = in ^ the stream that begins with block `counter`; out may be in. RFC 8439, 2.4. */
void chacha20_xor(unsigned char *out, const unsigned char *in, unsigned long long len,
                  const unsigned char key[32], const unsigned char nonce[12], uint32_t counter);

#endif
