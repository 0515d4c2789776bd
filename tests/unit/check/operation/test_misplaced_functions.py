# SPDX-License-Identifier: MIT
"""Faults of functions that lie among data."""

import platform

import pytest
from tests.whole.corpus.operations import OperationBench

CODE = """
.section .rodata
.p2align 5
table: .quad 1, 2
.globl CRYPTO_NAMESPACETOP
CRYPTO_NAMESPACETOP:
  xor %eax, %eax
  ret
.section .note.GNU-stack,"",@progbits
"""
VERIFY = """
#include "crypto_onetimeauth.h"
int crypto_onetimeauth_verify(const unsigned char *h, const unsigned char *m,
                              unsigned long long n, const unsigned char *k) { return 0; }
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs x86-64's assembler")
@pytest.mark.parametrize("executable", [False, True])
def test_a_function_in_rodata_is_named_as_the_cause(
    operation_bench: OperationBench, executable: bool
) -> None:
    """The reason gives its name, its section and what to add; code in .text has other ones."""
    code = CODE.replace(".globl", ".text\n.globl") if executable else CODE
    files = {"api.h": "#define CRYPTO_BYTES 16\n#define CRYPTO_KEYBYTES 32\n"}
    files |= {"auth.S": code, "verify.c": VERIFY}
    package = operation_bench.written("crypto_onetimeauth/mine/asm", files)
    found = operation_bench.examine(package, only=("supercop/returns",)).checks
    (reason,) = [one.reason for one in found if one.check == "supercop/returns"]
    expected = "is defined in .rodata, which is not executable; add `.text`"
    assert (expected in reason) is not executable
    assert ("crypto_onetimeauth_mine_asm" in reason) is not executable
