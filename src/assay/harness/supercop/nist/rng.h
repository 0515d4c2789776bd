/* SPDX-License-Identifier: MIT */

/*
 * rng.h - the interface to random bytes in NIST's post-quantum calls.
 *
 * randombytes() is the harness's own: randombytes_init() changes nothing, since what it
 * draws from is seeded from outside. The seed expander is deterministic: AES-256 in counter
 * mode over a seed of 32 bytes and a diversifier of 8.
 */

#ifndef rng_h
#define rng_h

#ifdef __cplusplus
extern "C" {
#endif

#define RNG_SUCCESS 0
#define RNG_BAD_MAXLEN -1
#define RNG_BAD_OUTBUF -2
#define RNG_BAD_REQ_LEN -3

typedef struct {
  unsigned char buffer[16];
  int buffer_pos;
  unsigned long length_remaining;
  unsigned char key[32];
  unsigned char ctr[16];
} AES_XOF_struct;

typedef struct {
  unsigned char Key[32];
  unsigned char V[16];
  int reseed_counter;
} AES256_CTR_DRBG_struct;

extern int seedexpander_init(
  AES_XOF_struct *ctx, unsigned char *seed, unsigned char *diversifier, unsigned long maxlen);
extern int seedexpander(AES_XOF_struct *ctx, unsigned char *x, unsigned long xlen);
extern void AES256_ECB(unsigned char *key, unsigned char *ctr, unsigned char *buffer);

extern void randombytes_init(
  unsigned char *entropy_input, unsigned char *personalization_string, int security_strength);
extern int randombytes(unsigned char *x, unsigned long long xlen);

#ifdef __cplusplus
}
#endif

#endif
