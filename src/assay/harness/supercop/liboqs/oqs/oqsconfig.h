/* SPDX-License-Identifier: MIT */

/*
 * oqsconfig.h - what liboqs's own build writes: portable code, no OpenSSL, no threads.
 *
 * Which algorithms and implementations are used, options of the command line say.
 */

#ifndef OQSCONFIG_H
#define OQSCONFIG_H

#define OQS_VERSION_TEXT "0"
#define OQS_VERSION_MAJOR 0
#define OQS_VERSION_MINOR 0
#define OQS_VERSION_PATCH 0
#define OQS_COMPILE_BUILD_TARGET ""

#if defined(__x86_64__)
#define ARCH_X86_64 1
#elif defined(__aarch64__)
#define ARCH_ARM64v8 1
#endif

#endif
