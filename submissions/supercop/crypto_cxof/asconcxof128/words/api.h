/* SPDX-License-Identifier: CC0-1.0 */
#define CRYPTO_BYTES 64
