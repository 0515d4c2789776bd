# SPDX-License-Identifier: MIT
"""The functions and constants of an operation, in C, by those of liboqs.

A signed message is the signature and the message behind it. Where signatures are of different
lengths, two bytes at the end say how long this one is, and nothing is written behind them.
"""

import re
from collections.abc import Iterable, Iterator

from assay.package.supercop.liboqs.family import AlgorithmFamily
from assay.package.text import code_of, read_text

_VARYING = frozenset({"falcon_512", "falcon_1024"})

_KEM = """\
#define CRYPTO_PUBLICKEYBYTES {own}_length_public_key
#define CRYPTO_SECRETKEYBYTES {own}_length_secret_key
#define CRYPTO_CIPHERTEXTBYTES {own}_length_ciphertext
#define CRYPTO_BYTES {own}_length_shared_secret

static int crypto_kem_keypair(unsigned char *pk, unsigned char *sk)
{{
  return {own}_keypair(pk, sk);
}}

static int crypto_kem_enc(unsigned char *c, unsigned char *k, const unsigned char *pk)
{{
  return {own}_encaps(c, k, pk);
}}

static int crypto_kem_dec(unsigned char *k, const unsigned char *c, const unsigned char *sk)
{{
  return {own}_decaps(k, c, sk);
}}
"""

_SIGN = """\
#define CRYPTO_PUBLICKEYBYTES {own}_length_public_key
#define CRYPTO_SECRETKEYBYTES {own}_length_secret_key
#define TRAILER {trailer}
#define CRYPTO_BYTES ({own}_length_signature + TRAILER)

static int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{{
  return {own}_keypair(pk, sk);
}}

static int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                       unsigned long long mlen, const unsigned char *sk)
{{
  size_t length = 0;
#if TRAILER
  unsigned char signature[{own}_length_signature];

  if ({own}_sign(signature, &length, m, mlen, sk) != OQS_SUCCESS ||
      length > {own}_length_signature)
    return -1;
  memmove(sm + length, m, mlen);
  memcpy(sm, signature, length);
  sm[length + mlen] = (unsigned char)length;
  sm[length + mlen + 1] = (unsigned char)(length >> 8);
#else
  unsigned char *copy = sm + {own}_length_signature;

  memmove(copy, m, mlen);
  if ({own}_sign(sm, &length, copy, mlen, sk) != OQS_SUCCESS || length != {own}_length_signature)
    return -1;
#endif
  *smlen = length + mlen + TRAILER;
  return 0;
}}

static int crypto_sign_signature(unsigned char *sig, unsigned long long *siglen,
                                 const unsigned char *m, unsigned long long mlen,
                                 const unsigned char *sk)
{{
  size_t length = 0;
  int result = {own}_sign(sig, &length, m, mlen, sk);

  *siglen = length;
  return result;
}}

static int crypto_sign_verify(const unsigned char *sig, unsigned long long siglen,
                              const unsigned char *m, unsigned long long mlen,
                              const unsigned char *pk)
{{
  return {own}_verify(m, mlen, sig, siglen, pk);
}}

static int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                            unsigned long long smlen, const unsigned char *pk)
{{
  size_t length = {own}_length_signature;

  *mlen = (unsigned long long)-1;
  if (smlen < TRAILER)
    return -1;
  smlen -= TRAILER;
#if TRAILER
  length = (size_t)(sm[smlen] | sm[smlen + 1] << 8);
#endif
  if (length > {own}_length_signature || smlen < length ||
      {own}_verify(sm + length, smlen - length, sm, length, pk) != OQS_SUCCESS)
    return -1;
  memmove(m, sm + length, smlen - length);
  *mlen = smlen - length;
  return 0;
}}
"""
_KEYPAIR_DERAND = """
static int crypto_kem_keypair_derand(unsigned char *pk, unsigned char *sk,
                                     const unsigned char *coins)
{{
  return {own}_keypair_derand(pk, sk, coins);
}}
"""
_ENC_DERAND = """
static int crypto_kem_enc_derand(unsigned char *c, unsigned char *k, const unsigned char *pk,
                                 const unsigned char *coins)
{{
  return {own}_encaps_derand(c, k, pk, coins);
}}
"""
_CONTEXT = """
static int crypto_sign_signature_ctx(unsigned char *sig, unsigned long long *siglen,
                                     const unsigned char *m, unsigned long long mlen,
                                     const unsigned char *ctx, unsigned long long ctxlen,
                                     const unsigned char *sk)
{{
  size_t length = 0;
  int result = {own}_sign_with_ctx_str(sig, &length, m, mlen, ctx, ctxlen, sk);

  *siglen = length;
  return result;
}}

static int crypto_sign_verify_ctx(const unsigned char *sig, unsigned long long siglen,
                                  const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *ctx, unsigned long long ctxlen,
                                  const unsigned char *pk)
{{
  return {own}_verify_with_ctx_str(m, mlen, sig, siglen, ctx, ctxlen, pk);
}}
"""
_TEXTS = {"crypto_kem": _KEM, "crypto_sign": _SIGN}


def entry(family: AlgorithmFamily, algorithm: str, options: Iterable[str]) -> str:
    """Write what an adapter includes; `options` are liboqs's that enable the algorithm."""
    kind = family.kind
    lines = [f"#define {one} 1" for one in options]
    lines += ["#include <string.h>", f"#include <oqs/{family.header.name}>", ""]
    trailer = 2 if algorithm in _VARYING else 0
    own = f"OQS_{kind.word}_{algorithm}"
    text = _TEXTS[kind.operation] + "".join(_further(family, algorithm, own))
    return "\n".join([*lines, text.format(own=own, trailer=trailer)])


def _further(family: AlgorithmFamily, algorithm: str, own: str) -> Iterator[str]:
    """Yield what only some algorithms have: functions that take coins, and with contexts.

    All are declared; where there is no such thing the length of the seed is 0 or unknown, and
    the wrapper's record says that there are no contexts.
    """
    if family.kind.operation == "crypto_kem":
        header = code_of(read_text(family.header))
        for seed, text in (("keypair", _KEYPAIR_DERAND), ("encaps", _ENC_DERAND)):
            if re.search(rf"\b{own}_length_{seed}_seed[ \t]+[1-9]", header):
                yield text
    elif family.has_contexts(algorithm):
        yield _CONTEXT
