# SPDX-License-Identifier: MIT
"""Code for another machine is skipped if it does not build; honest code with a mistake fails."""

import platform
from collections.abc import Callable

import pytest
from tests.unit.compile.supercop.conftest import Built, Write, hash_source

from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.model import Build, BuildStage, Package
from assay.package.text import foreign_assembly
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="this is another machine")

OWN = "crypto_hash/toy/ref"
THUMB = """\
@ Works on ARMv7-M
.syntax unified
.thumb
.global permute
permute:
    push {r4-r7, lr}
    ldr r1, [r0, #4]
    eors r1, r2
    mvns r2, r1
    pop {r4-r7, pc}
"""
ALIASES = """\
.syntax unified
#include "macros.i"
.global permute
permute:
    ptr .req R0
    counter .req R4
    load counter, ptr
"""
AVR = """\
#if defined(__AVR__)
#include <avr/io.h>
.global permute
permute:
    ldi r24, 1
    adiw r30, 2
    rjmp permute
#endif
"""
RISCV = """\
.globl permute
permute:
  addi sp, sp, -16
  mv a5, a0
  slli t0, a5, 3
  addi sp, sp, 16
  ret
"""
VECTORS = "vsetivli zero, 8, e16, m1, ta, ma\nvle16.v v0, (a0)\nvmul.vv v0, v0, v1\n"
ARM64 = """\
.global permute
permute:
    ldp x0, x1, [sp]
    eor v0.16b, v1.16b, v2.16b
    bic x0, x0, x1
    orr x0, x0, x1
    orn x0, x0, x1
    stp x0, x1, [sp]
    ret
"""
AMD64 = """\
.globl permute
permute:
    movq %rdi, %rax
    movq %rsi, %rcx
    xorq %rax, %rax
    ret
"""
CALL = hash_source("permute(out);", "void permute(unsigned char *);")
INLINE = 'void permute(unsigned char *x) { __asm__ volatile("%s" : : "r"(x) : "memory"); }\n'


@pytest.mark.parametrize("command", ["gcc", "clang"])
@pytest.mark.parametrize(
    ("name", "text", "architecture"),
    [("permute.s", THUMB, "ARM"), ("permute.S", AVR, "AVR"), ("permute.s", ARM64, "AArch64")],
)
def test_assembly_for_another_machine_is_skipped_and_named(
    write: Write, built: Built, name: str, text: str, architecture: str, command: str
) -> None:
    """Whether the assembler refuses it or a condition leaves it empty here."""
    write(OWN, {**CALL, name: text})
    build = built(OWN, command)
    assert build.stage is BuildStage.SKIPPED
    assert build.reason == f"it is for another machine: {name} has assembly for {architecture}"


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_assembly_inside_c_counts_though_a_macro_of_another_file_has_it(
    write: Write, built: Built, command: str
) -> None:
    """Operands have no names of registers there: the instructions tell."""
    body = r"eor %0, %0, %0\n\tmvn %0, %0\n\tbic %0, %0, %0\n\torr %0, %0, %0"
    header = {"permute.h": f'#define PERMUTE __asm__ volatile("{body}" : "+r"(x))\n'}
    source = (
        '#include "permute.h"\nvoid permute(unsigned char *o) { int x = *o; PERMUTE; *o = x; }\n'
    )
    write(OWN, {**CALL, **header, "permute.c": source})
    assert built(OWN, command).stage is BuildStage.SKIPPED


@pytest.mark.parametrize(
    "files",
    [
        {"permute.s": AMD64.replace("xorq %rax, %rax", "xorqq %rax, %rax")},
        {
            "permute.s": AMD64.replace("permute", "permute_other"),
            "arm.S": AVR.replace("permute", "x"),
        },
        {"permute.S": f"#ifdef __ARM_ARCH\n{THUMB[19:]}#else\n{AMD64}nonsense %rax\n#endif\n"},
        {"permute.c": INLINE % r"nonsense %%rax\n mvn r0, r1\n bic r0, r1\n orr r0, r1"},
        {"permute.S": AVR, "permute.c": "#if 0\nvoid permute(unsigned char *x) { }\n#endif\n"},
        {"permute.c": "void permute(unsigned char *x) { *x = mvn + bic + orr + missing; }\n"},
    ],
    ids=[
        "wrong-mnemonic",
        "wrong-name",
        "both-machines",
        "both-inline",
        "also-in-c",
        "no-assembly",
    ],
)
def test_code_for_this_machine_with_a_mistake_fails(
    write: Write, built: Built, files: dict[str, str]
) -> None:
    """One register of this machine is enough, as is a definition in C."""
    write(OWN, {**CALL, **files})
    build = built(OWN)
    assert build.stage in {BuildStage.COMPILE, BuildStage.LINK}, build.reason


def test_names_of_files_and_folders_are_no_evidence(write: Write, built: Built) -> None:
    """Somebody's `armv7m` may hold C that is meant for all machines."""
    write("crypto_hash/toy/armv7m", {**CALL, "permute-armv7m.c": "void permute(void) { oops }\n"})
    assert built("crypto_hash/toy/armv7m").stage is BuildStage.COMPILE


@pytest.mark.parametrize(
    ("text", "architecture"),
    [(THUMB, "ARM"), (ALIASES, "ARM"), (AVR, "AVR"), (ARM64, "AArch64"), (AMD64, "x86-64"),
     (RISCV, "RISC-V"),
     (VECTORS, "RISC-V"), ("addi r1, r1, -16\n" * 3, None), (RISCV + AMD64, None),
     (THUMB + AMD64, None), ("xorps %xmm0, %xmm1\n" + THUMB, None), ("", None)],
)  # fmt: skip
def test_mixed_assembly_is_nobodys(text: str, architecture: str | None) -> None:
    """Whatever its conditions would choose."""
    assert foreign_assembly(text) == architecture


def test_foreign_code_of_a_stream_cipher_is_skipped_too(
    builder: Builder, write_package: Callable[..., Package], recipe: Callable[..., Recipe],
    texts: tuple[str, str],
) -> None:  # fmt: skip
    """One mechanism for all kinds of packages."""
    body = r"mvn r0, r1\n\tbic r0, r0, r1\n\torr r0, r0, r1\n\teors r0, r1"
    source = texts[1] + f'\nvoid permute(void) {{ __asm__ volatile("{body}"); }}\n'
    build = builder.build(recipe(write_package(source=source), "gcc"))
    assert build.stage is BuildStage.SKIPPED


def test_what_includes_a_header_of_another_processors_library_is_skipped(
    write: Write, built: Built
) -> None:
    """AVR's registers are declared there; as with the headers of other compilers."""
    write(OWN, hash_source("", "#include <avr/io.h>"))
    build = built(OWN)
    assert build.stage is BuildStage.SKIPPED
    assert "AVR" in build.reason


def test_conditional_execution_tells_thumb() -> None:
    """A few lines within C may have nothing else that is ARM's alone."""
    lines = "ldr r0, [r1]\ncmp r0, r2\nitt gt\nstrgt r0, [r1]\nmovgt r0, r2\n"
    assert foreign_assembly(lines * 2) == "ARM"
    assert foreign_assembly(lines) is None


ARMS = {"architectures": "aarch64 armeabi arm\n"}


def built_for(name: str, package: Package, builder: Builder) -> Build:
    """Build a package for a target of the catalogue; skip without its tools."""
    (target,) = choose([name], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    return builder.build(Recipe(package, 1, *target_configuration(target), target))


def test_code_for_arm_is_tried_on_small_arms(
    write: Write, loaded: Callable[[str], Package], builder: Builder
) -> None:
    """SUPERCOP has words for the larger ones alone; Ascon's code for a Cortex-M names these."""
    write(OWN, {**hash_source(""), **ARMS})
    assert built_for("qemu-cortex-m4", loaded(OWN), builder).ok
    other = built_for("qemu-riscv32", loaded(OWN), builder)
    assert other.reason == "it is for aarch64, armeabi, arm, and this is riscv32"


def test_code_for_arm_that_a_small_one_cannot_compile_is_skipped(
    write: Write, loaded: Callable[[str], Package], builder: Builder
) -> None:
    """It never said that it is for this one."""
    write(OWN, {**hash_source('__asm__("umull r4, r5, r6, r7");'), **ARMS})
    build = built_for("qemu-cortex-m0", loaded(OWN), builder)
    assert build.stage is BuildStage.SKIPPED
    assert "cortex-m0" in build.reason or "another processor" in build.reason


@pytest.mark.parametrize("name", ["qemu-mips", "simavr-atmega1281"])
def test_assembly_inside_c_that_an_assembler_refuses_is_named(
    write: Write, loaded: Callable[[str], Package], builder: Builder, name: str
) -> None:
    """It names the file that the compiler made for it, and no file of the package."""
    text = r"stmdb sp!, {r4-r10}\n bics r4, r5\n orrs r4, r5\n mvn r5, r4\n ldmia sp!, {r4-r10}"
    inline = {"permute.c": INLINE % text}
    write(OWN, {**CALL, **inline})
    build = built_for(name, loaded(OWN), builder)
    assert build.stage is BuildStage.SKIPPED
    assert build.reason == "it is for another machine: permute.c has assembly for ARM"
