/* SPDX-License-Identifier: MIT */
#define CRYPTO_PUBLICKEYBYTES OQS_ALGORITHM_length_public_key
#define CRYPTO_SECRETKEYBYTES OQS_ALGORITHM_length_secret_key
#define CRYPTO_CIPHERTEXTBYTES OQS_ALGORITHM_length_ciphertext
#define CRYPTO_BYTES OQS_ALGORITHM_length_shared_secret

static int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{
  return OQS_ALGORITHM_keypair(pk, sk);
}

static int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk)
{
  return OQS_ALGORITHM_encaps(c, k, pk);
}

static int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk)
{
  return OQS_ALGORITHM_decaps(k, c, sk);
}
