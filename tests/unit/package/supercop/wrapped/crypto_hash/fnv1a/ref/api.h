/* SPDX-License-Identifier: MIT */
#define CRYPTO_BYTES 8
