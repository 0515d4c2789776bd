/* SPDX-License-Identifier: CC0-1.0 */
#define CRYPTO_STATEBYTES 32
#define CRYPTO_BLOCKBYTES 64
