/* SPDX-License-Identifier: CC0-1.0 */
#define CRYPTO_KEYBYTES 16
#define CRYPTO_NONCEBYTES 16
