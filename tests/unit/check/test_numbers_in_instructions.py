# SPDX-License-Identifier: MIT
"""The lengths that instructions of x86-64 name, at which every property is asked again."""

import platform
import subprocess
from pathlib import Path

import pytest

from assay.check.object.calling import compared

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="assembly of x86-64")


@pytest.mark.parametrize(
    ("instruction", "numbers"),
    [
        ("cmpl $98765, %edi", (98765,)),
        ("cmpl $98765, %ebp", (98765,)),  # a number like any other where there are no frames
        ("cmpq $98765, -24(%rbp)", (98765,)),
        ("cmpl $777, %edi", (777,)),
        ("cmpl $12, %edi", ()),  # every length below is tried
        ("subq $98765, %rsp", ()),  # room on the stack
        ("leaq -98765(%rbp), %rax", ()),
    ],
)
def test_a_number_is_found_wherever_the_other_operand_lies(
    instruction: str, numbers: tuple[int, ...], tmp_path: Path
) -> None:
    """GCC keeps lengths in %rbp, too, and did so for a defect that no check had found."""
    source, made = tmp_path / "one.s", tmp_path / "one.o"
    source.write_text(f".text\n.globl f\nf:\n\t{instruction}\n\tret\n")
    subprocess.run(["gcc", "-c", str(source), "-o", str(made)], check=True)
    assert compared((made,)) == numbers
