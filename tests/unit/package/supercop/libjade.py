# SPDX-License-Identifier: MIT
"""Tiny implementations with libjade's names, written by the tests that need them."""

from pathlib import Path

HEADER = """\
#ifndef JADE_HASH_{own}_API_H
#define JADE_HASH_{own}_API_H
#include <stdint.h>
#define JADE_HASH_{own}_BYTES 8
#define JADE_HASH_{own}_ALGNAME "Toy"
#define JADE_HASH_{own}_ARCH "amd64"
#define JADE_HASH_{own}_IMPL "{last}"
int jade_hash_{own}(
 uint8_t *hash,
 const uint8_t *input,
 uint64_t input_length
);
#endif
"""
FNV1A = """\
	.att_syntax
	.text
	.globl	_jade_hash_{own}
	.globl	jade_hash_{own}
_jade_hash_{own}:
jade_hash_{own}:
	movabsq	$0xcbf29ce484222325, %rax
	movabsq	$0x100000001b3, %r8
	jmp	2f
1:
	movzbl	(%rsi), %ecx
	xorq	%rcx, %rax
	imulq	%r8, %rax
	incq	%rsi
	decq	%rdx
2:
	testq	%rdx, %rdx
	jne	1b
	movq	%rax, (%rdi)
	xorl	%eax, %eax
	ret
	.section	.note.GNU-stack,"",%progbits
"""
KEM = """\
#include <stdint.h>
#define jade_kem_toy_toy1_amd64_ref_SECRETKEYBYTES 4
#define jade_kem_toy_toy1_amd64_ref_PUBLICKEYBYTES 4
#define jade_kem_toy_toy1_amd64_ref_CIPHERTEXTBYTES 4
#define jade_kem_toy_toy1_amd64_ref_BYTES 4
#define jade_kem_toy_toy1_amd64_ref_ARCH "amd64"
#define jade_kem_toy_toy1_amd64_ref_IMPL "ref"
int jade_kem_toy_toy1_amd64_ref_keypair_derand(uint8_t *pk, uint8_t *sk, const uint8_t *coins);
int jade_kem_toy_toy1_amd64_ref_keypair(uint8_t *pk, uint8_t *sk);
int jade_kem_toy_toy1_amd64_ref_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk);
int jade_kem_toy_toy1_amd64_ref_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
"""
RANDOM_KEYS = """\
	.text
	.globl	jade_kem_toy_toy1_amd64_ref_keypair
	.globl	jade_kem_toy_toy1_amd64_ref_enc
	.globl	jade_kem_toy_toy1_amd64_ref_dec
jade_kem_toy_toy1_amd64_ref_keypair:
	pushq	%rbx
	movq	%rsi, %rbx
	movl	$4, %esi
	call	__jasmin_syscall_randombytes__
	movl	(%rax), %eax
	movl	%eax, (%rbx)
	popq	%rbx
	xorl	%eax, %eax
	ret
jade_kem_toy_toy1_amd64_ref_enc:
jade_kem_toy_toy1_amd64_ref_dec:
	movl	$-1, %eax
	ret
	.section	.note.GNU-stack,"",%progbits
"""


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def write_libjade(folder: Path, *, compiled: bool = True) -> Path:
    """Write a tree as libjade's is, with the assembly that Jasmin's compiler makes or without."""
    files = {"src/Makefile.common": "", "src/Makefile.functions": ""}
    for last in ("ref", "avx2"):
        own, place = f"fnv1_a_amd64_{last}", f"src/crypto_hash/fnv1-a/amd64/{last}"
        files |= {
            f"{place}/include/api.h": HEADER.format(own=own, last=last),
            f"{place}/hash.jazz": "",
            f"{place}/Makefile": "SRCS := hash.jazz\n",
        }
        files |= {f"{place}/hash.s": FNV1A.format(own=own)} if compiled else {}
    return write_files(folder, files)


def write_release(folder: Path) -> Path:
    """Write a release of libjade: folders and files of one name."""
    own, place = "fnv1_a_amd64_ref", "libjade/crypto_hash/fnv1_a_ref/fnv1_a_ref"
    return write_files(
        folder,
        {
            f"{place}.h": HEADER.format(own=own, last="ref"),
            f"{place}.s": FNV1A.format(own=own),
            f"{place}.jazz": "",
            "libjade/crypto_hash/fnv1_a_ref/example.c": "int main(void) { return 0; }\n",
        },
    )
