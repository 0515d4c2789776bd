/* SPDX-License-Identifier: CC0-1.0 */
#define CRYPTO_STATEBYTES 16
#define CRYPTO_BLOCKBYTES 64
