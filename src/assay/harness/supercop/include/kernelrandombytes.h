/* SPDX-License-Identifier: MIT */

/*
 * kernelrandombytes.h - random bytes from the system. Under test they come from the same
 * generator as those of randombytes.h, so that results repeat.
 */

#ifndef kernelrandombytes_h
#define kernelrandombytes_h

#ifdef __cplusplus
extern "C" {
#endif

extern void kernelrandombytes(unsigned char *, unsigned long long);

#ifdef __cplusplus
}
#endif

#endif
