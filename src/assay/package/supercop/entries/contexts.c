/* SPDX-License-Identifier: MIT */

static int crypto_sign_signature_ctx(unsigned char *sig, unsigned long long *siglen,
                                     const unsigned char *m, unsigned long long mlen,
                                     const unsigned char *ctx, unsigned long long ctxlen,
                                     const unsigned char *sk)
{
  size_t length = 0;
  int result = OQS_ALGORITHM_sign_with_ctx_str(sig, &length, m, mlen, ctx, ctxlen, sk);

  *siglen = length;
  return result;
}

static int crypto_sign_verify_ctx(const unsigned char *sig, unsigned long long siglen,
                                  const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *ctx, unsigned long long ctxlen,
                                  const unsigned char *pk)
{
  return OQS_ALGORITHM_verify_with_ctx_str(m, mlen, sig, siglen, ctx, ctxlen, pk);
}
