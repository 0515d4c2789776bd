/* SPDX-License-Identifier: MIT */

/* randombytes.h - random bytes as packages of NIST's layout ask for them; always 0. */

#ifndef nist_randombytes_h
#define nist_randombytes_h

#ifdef __cplusplus
extern "C" {
#endif

extern int randombytes(unsigned char *x, unsigned long long xlen);

#ifdef __cplusplus
}
#endif

#endif
