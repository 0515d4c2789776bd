/* SPDX-License-Identifier: CC0-1.0 */
#define CRYPTO_STRBYTES 2
#define CRYPTO_ITEMS 1
#define CRYPTO_ITEMBYTES 2
