/* SPDX-License-Identifier: MIT */

/*
 * valgrind/memcheck.h - in place of valgrind's, which other instruments do not hear: what a
 * package says is defined is made public. It is included before all else, so that a copy of
 * valgrind's headers that a package brings finds its guard defined, and is empty.
 *
 * That bytes are undefined or inaccessible is heard by valgrind alone; what is secret is known
 * from the API.
 */
#if !defined(__MEMCHECK_H) && !defined(__ASSEMBLER__)
#define __MEMCHECK_H
#define __VALGRIND_H

#pragma GCC system_header /* whatever dialect a package is written in */

#ifdef __cplusplus
extern "C" {
#endif

extern void crypto_declassify(const void *, unsigned long long);

#ifdef __cplusplus
}
#endif

#define ASSAY_UNUSED static __inline__ __attribute__((__unused__))

ASSAY_UNUSED int assay_made_public(const volatile void *from, unsigned long length)
{
    crypto_declassify((const void *)(__UINTPTR_TYPE__)from, length);
    return 0;
}

ASSAY_UNUSED int assay_not_heard(const volatile void *from, unsigned long length)
{
    (void)from, (void)length;
    return 0;
}

#undef ASSAY_UNUSED

#define RUNNING_ON_VALGRIND 1 /* some set their marks there alone */
#define VALGRIND_MAKE_MEM_DEFINED(from, length) assay_made_public((from), (length))
#define VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE(from, length) assay_made_public((from), (length))
#define VALGRIND_MAKE_MEM_UNDEFINED(from, length) assay_not_heard((from), (length))
#define VALGRIND_MAKE_MEM_NOACCESS(from, length) assay_not_heard((from), (length))
#define VALGRIND_CHECK_MEM_IS_DEFINED(from, length) assay_not_heard((from), (length))
#define VALGRIND_CHECK_MEM_IS_ADDRESSABLE(from, length) assay_not_heard((from), (length))
#define VALGRIND_CHECK_VALUE_IS_DEFINED(value) assay_not_heard(&(value), sizeof(value))
#define VALGRIND_GET_VBITS(from, bits, length) assay_not_heard((from), (length))
#define VALGRIND_SET_VBITS(from, bits, length) assay_not_heard((from), (length))
#define VALGRIND_MALLOCLIKE_BLOCK(from, length, zone, zeroed) ((void)0)
#define VALGRIND_FREELIKE_BLOCK(from, zone) ((void)0)
#define VALGRIND_DISABLE_ERROR_REPORTING ((void)0)
#define VALGRIND_ENABLE_ERROR_REPORTING ((void)0)
#define VALGRIND_DO_LEAK_CHECK ((void)0)
#define VALGRIND_COUNT_ERRORS 0
#define VALGRIND_PRINTF(...) 0
#define VALGRIND_PRINTF_BACKTRACE(...) 0

#endif
