# SPDX-License-Identifier: MIT
"""Names that a package must not define: those of the bench, of SUPERCOP and of the C library."""

RESERVED = ("assay_",)  # what tests and measurements here are made with begins so


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


RESERVED_NAMES = _names(
    "cpucycles cpucycles_implementation cpucycles_persecond cpucycles_tracesetup "
    "cpucycles_version main _start _init _fini environ __libc_start_main crypto_declassify "
    "kernelrandombytes randombytes randombytes_bytes randombytes_calls "
    "gcry_check_version OPENSSL_init_crypto"
)
C_LIBRARY = _names(
    "memcpy memmove memset memcmp strlen strchr strcpy strcmp malloc calloc realloc free "
    "aligned_alloc posix_memalign printf fprintf puts putchar fopen fclose fread fwrite open "
    "close read write pipe "
    "mmap munmap mprotect exit _exit abort signal sigaction raise setjmp longjmp clock "
    "clock_gettime gettimeofday time getenv rand srand random srandom qsort select poll "
    "pselect alarm atexit getrusage mallinfo2 setitimer setrlimit sigaltstack siglongjmp sysconf "
    "syscall strtol strtoul strtoll atoi atol atoll pthread_create pthread_join pthread_self "
    "pthread_attr_init pthread_attr_destroy pthread_attr_setguardsize pthread_attr_setstacksize "
    "dl_iterate_phdr getauxval malloc_usable_size mallopt prctl sbrk"
)
