/* SPDX-License-Identifier: MIT */
/* A KEM in PQClean's layout that hides nothing: its shared secrets follow from public keys. */
#ifndef PQCLEAN_TOY_CLEAN_API_H
#define PQCLEAN_TOY_CLEAN_API_H

#include <stdint.h>

#define PQCLEAN_TOY_CLEAN_CRYPTO_PUBLICKEYBYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_SECRETKEYBYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_CIPHERTEXTBYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_BYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_ALGNAME "Toy"

int PQCLEAN_TOY_CLEAN_crypto_kem_keypair_derand(uint8_t *pk, uint8_t *sk, const uint8_t *coins);
int PQCLEAN_TOY_CLEAN_crypto_kem_keypair(uint8_t *pk, uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_kem_enc_derand(uint8_t *ct, uint8_t *ss, const uint8_t *pk,
                                            const uint8_t *coins);
int PQCLEAN_TOY_CLEAN_crypto_kem_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk);
int PQCLEAN_TOY_CLEAN_crypto_kem_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_kem_checksum(const uint8_t *pk);
#endif
