/* SPDX-License-Identifier: MIT */
/*
 * How the four eSTREAM APIs name and call their functions.
 *
 * Of those that authenticate (ASSAY_AUTHENTICATES) the names begin with ECRYPT_AE_, and some
 * parameters are more. With ASSAY_FEEDS_BACK every call gets the last ECRYPT_SYNCLENGTH bytes of
 * ciphertext. Whoever includes this file has defined what its API does.
 */
#ifndef ASSAY_ADAPTERS_ECRYPT_CALLS_H
#define ASSAY_ADAPTERS_ECRYPT_CALLS_H

#ifdef ASSAY_AUTHENTICATES
#define ASSAY_ECRYPT(name) ECRYPT_AE_##name
#define ASSAY_CALL(name, ...) ASSAY_APPLY(ECRYPT_AE_##name, __VA_ARGS__)
#define ASSAY_IF_MAC(...) __VA_ARGS__
#else
#define ASSAY_ECRYPT(name) ECRYPT_##name
#define ASSAY_CALL(name, ...) ASSAY_APPLY(ECRYPT_##name, __VA_ARGS__)
#define ASSAY_IF_MAC(...)
#endif

#ifdef ASSAY_FEEDS_BACK
#define ASSAY_IF_BACK(...) __VA_ARGS__
#else
#define ASSAY_IF_BACK(...)
#endif

/* Expands the arguments before a function that is a macro takes them apart. */
#define ASSAY_APPLY(function, ...) function(__VA_ARGS__)

#endif
