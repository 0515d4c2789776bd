/* SPDX-License-Identifier: MIT */
/* A signature in PQClean's layout that signs nothing: who knows a public key signs with it. */
#ifndef PQCLEAN_TOY_CLEAN_API_H
#define PQCLEAN_TOY_CLEAN_API_H

#include <stddef.h>
#include <stdint.h>

#define PQCLEAN_TOY_CLEAN_CRYPTO_PUBLICKEYBYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_SECRETKEYBYTES 32
#define PQCLEAN_TOY_CLEAN_CRYPTO_BYTES 48
#define PQCLEAN_TOY_CLEAN_CRYPTO_ALGNAME "Toy"

int PQCLEAN_TOY_CLEAN_crypto_sign_keypair(uint8_t *pk, uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_sign_signature_ctx(uint8_t *sig, size_t *siglen, const uint8_t *m,
                                                size_t mlen, const uint8_t *ctx, size_t ctxlen,
                                                const uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_sign_verify_ctx(const uint8_t *sig, size_t siglen, const uint8_t *m,
                                             size_t mlen, const uint8_t *ctx, size_t ctxlen,
                                             const uint8_t *pk);
int PQCLEAN_TOY_CLEAN_crypto_sign_signature(uint8_t *sig, size_t *siglen, const uint8_t *m,
                                            size_t mlen, const uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_sign_verify(const uint8_t *sig, size_t siglen, const uint8_t *m,
                                         size_t mlen, const uint8_t *pk);
int PQCLEAN_TOY_CLEAN_crypto_sign(uint8_t *sm, size_t *smlen, const uint8_t *m, size_t mlen,
                                  const uint8_t *sk);
int PQCLEAN_TOY_CLEAN_crypto_sign_open(uint8_t *m, size_t *mlen, const uint8_t *sm, size_t smlen,
                                       const uint8_t *pk);
#endif
