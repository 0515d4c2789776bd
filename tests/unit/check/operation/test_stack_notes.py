# SPDX-License-Identifier: MIT
"""What `object/stack` says of assembly: asking fails, silence is a finding, nothing is fine."""

import platform
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.model import CheckResult, Verdict

API = "#define CRYPTO_BYTES 32\n"
CODE = """#include "api.h"
void turn(unsigned char *out);
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned long long i, sum = inlen;
    for (i = 0; i < inlen; ++i)
        sum += in[i];
    for (i = 0; i < CRYPTO_BYTES; ++i)
        out[i] = (unsigned char)(sum + i);
    turn(out);
    return 0;
}
"""
TURN = ".text\n.globl turn\nturn:\n    notb (%rdi)\n    ret\n"
IN_C = "void turn(unsigned char *out);\nvoid turn(unsigned char *out) { out[0] ^= 255; }\n"
Ask = Callable[..., CheckResult]
QUIET = '.section .note.GNU-stack,"",%progbits\n'
ASKS = '.section .note.GNU-stack,"x",%progbits\n'
AVR = "#if defined(__AVR__)\n.text\n    nop\n#endif\n"


@pytest.fixture
def stack(operation_bench: OperationBench, tmp_path: Path) -> Ask:
    """Return a function that asks `object/stack` of a package with the files given."""
    if platform.machine() != "x86_64":
        pytest.skip("the assembly is for x86-64")

    def ask(**files: str) -> CheckResult:
        folder = tmp_path / "tree" / "crypto_hash" / "toy" / "ref"
        folder.mkdir(parents=True)
        for name, text in {"api.h": API, "hash.c": CODE, **files}.items():
            (folder / name.replace("_", ".")).write_text(text)
        package = operation_bench.package("crypto_hash/toy/ref", tmp_path / "tree")
        found: tuple[CheckResult, ...] = operation_bench.examine(
            package, only=("object/stack",)
        ).checks
        assert [one.check for one in found][-1] == "object/stack", found
        return found[-1]

    return ask


def test_assembly_without_a_note_is_a_finding_with_its_cure(stack: Ask) -> None:
    """Nothing in it asks; SUPERCOP takes it, and its authors can mend it by a line."""
    found = stack(turn_S=TURN)
    assert found.verdict is Verdict.FINDING
    assert found.reason.startswith("turn.S does not say")
    assert '.section .note.GNU-stack,"",%progbits' in found.cure


def test_assembly_that_asks_fails(stack: Ask) -> None:
    """Beside an object that says nothing, too."""
    found = stack(turn_S=TURN + ASKS, other_S=AVR)
    assert found.verdict is Verdict.FAIL
    assert "the note of turn.S says" in found.reason


def test_assembly_with_a_note_that_asks_for_nothing_passes(stack: Ask) -> None:
    """It is what the cure asks for."""
    assert stack(turn_S=TURN + QUIET).verdict is Verdict.PASS


def test_assembly_that_is_empty_on_this_machine_passes(stack: Ask) -> None:
    """All of it is for AVR."""
    assert stack(turn_c=IN_C, other_S=AVR).verdict is Verdict.PASS
