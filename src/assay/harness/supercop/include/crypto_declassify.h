/* SPDX-License-Identifier: MIT */

/*
 * crypto_declassify.h - says that these bytes are no secret from here on, such as the result
 * of a comparison that is published anyway. It changes nothing; a check that follows secrets
 * through the program stops following these.
 */

#ifndef crypto_declassify_h
#define crypto_declassify_h

#ifdef __cplusplus
extern "C" {
#endif

extern void crypto_declassify(const void *, unsigned long long);

#ifdef __cplusplus
}
#endif

#endif
