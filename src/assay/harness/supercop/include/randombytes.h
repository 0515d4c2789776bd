/* SPDX-License-Identifier: MIT */

/*
 * randombytes.h - random bytes for keys, nonces and encapsulations.
 *
 * randombytes() writes so many bytes and cannot fail. The harness supplies it, from a
 * generator whose output it knows; the two counters tell what was drawn. It returns a number for
 * the sake of callers who declare it as NIST does, which those who see void never notice: 0, or
 * -1 where a check has it fail.
 */

#ifndef randombytes_h
#define randombytes_h

#ifdef __cplusplus
extern "C" {
#endif

extern void randombytes(unsigned char *, unsigned long long);
extern unsigned long long randombytes_calls;
extern unsigned long long randombytes_bytes;

#ifdef __cplusplus
}
#endif

#endif
