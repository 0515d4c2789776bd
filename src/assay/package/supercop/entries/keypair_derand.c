/* SPDX-License-Identifier: MIT */

static int crypto_kem_keypair_derand(unsigned char *pk, unsigned char *sk,
                                     const unsigned char *coins)
{
  return OQS_ALGORITHM_keypair_derand(pk, sk, coins);
}
