/* SPDX-License-Identifier: CC0-1.0 */
#define CRYPTO_STATEBYTES 64
#define CRYPTO_BLOCKBYTES 128
