/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-ssyn.c - packet functions of self-synchronising ciphers that bring none.
 *
 * Submissions exist that say they use these and have copies of them in their own source.
 * Weak ones give way to those; object files of Windows have no weak definitions.
 */

#if !defined(_WIN32) && (defined(__GNUC__) || defined(__clang__) || defined(__TINYC__))
#define GIVES_WAY __attribute__((weak))
#endif

#define ASSAY_FEEDS_BACK
#include "packet.h"
