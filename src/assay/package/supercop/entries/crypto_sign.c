/* SPDX-License-Identifier: MIT */
#define CRYPTO_PUBLICKEYBYTES OQS_ALGORITHM_length_public_key
#define CRYPTO_SECRETKEYBYTES OQS_ALGORITHM_length_secret_key
#define TRAILER TRAILER_BYTES
#define CRYPTO_BYTES (OQS_ALGORITHM_length_signature + TRAILER)

static int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{
  return OQS_ALGORITHM_keypair(pk, sk);
}

static int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                       unsigned long long mlen, const unsigned char *sk)
{
  size_t length = 0;
#if TRAILER
  unsigned char signature[OQS_ALGORITHM_length_signature];

  if (OQS_ALGORITHM_sign(signature, &length, m, mlen, sk) != OQS_SUCCESS ||
      length > OQS_ALGORITHM_length_signature)
    return -1;
  memmove(sm + length, m, mlen);
  memcpy(sm, signature, length);
  sm[length + mlen] = (unsigned char)length;
  sm[length + mlen + 1] = (unsigned char)(length >> 8);
#else
  unsigned char *copy = sm + OQS_ALGORITHM_length_signature;

  memmove(copy, m, mlen);
  if (OQS_ALGORITHM_sign(sm, &length, copy, mlen, sk) != OQS_SUCCESS || length != OQS_ALGORITHM_length_signature)
    return -1;
#endif
  *smlen = length + mlen + TRAILER;
  return 0;
}

static int crypto_sign_signature(unsigned char *sig, unsigned long long *siglen,
                                 const unsigned char *m, unsigned long long mlen,
                                 const unsigned char *sk)
{
  size_t length = 0;
  int result = OQS_ALGORITHM_sign(sig, &length, m, mlen, sk);

  *siglen = length;
  return result;
}

static int crypto_sign_verify(const unsigned char *sig, unsigned long long siglen,
                              const unsigned char *m, unsigned long long mlen,
                              const unsigned char *pk)
{
  return OQS_ALGORITHM_verify(m, mlen, sig, siglen, pk);
}

static int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                            unsigned long long smlen, const unsigned char *pk)
{
  size_t length = OQS_ALGORITHM_length_signature;

  *mlen = (unsigned long long)-1;
  if (smlen < TRAILER)
    return -1;
  smlen -= TRAILER;
#if TRAILER
  length = (size_t)(sm[smlen] | sm[smlen + 1] << 8);
#endif
  if (length > OQS_ALGORITHM_length_signature || smlen < length ||
      OQS_ALGORITHM_verify(sm + length, smlen - length, sm, length, pk) != OQS_SUCCESS)
    return -1;
  memmove(m, sm + length, smlen - length);
  *mlen = smlen - length;
  return 0;
}
