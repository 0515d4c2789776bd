/* SPDX-License-Identifier: MIT */

static int crypto_kem_enc_derand(unsigned char *c, unsigned char *k, const unsigned char *pk,
                                 const unsigned char *coins)
{
  return OQS_ALGORITHM_encaps_derand(c, k, pk, coins);
}
