# SPDX-License-Identifier: MIT
"""Why a package does not compile (HOWTO 5.3.1), from what real compilers print."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.compile.builder import Builder
from assay.compile.reasons import REASONS, explain
from assay.compile.recipe import Recipe
from assay.execute.jail import COMPILE_LIMITS
from assay.model import BuildStage, Package

COMPILERS = ("gcc", "clang", "tcc")
WritePackage = Callable[..., Package]
MakeRecipe = Callable[..., Recipe]
Texts = tuple[str, str]

INIT = "void ECRYPT_init(void) { }"


@pytest.mark.parametrize("command", COMPILERS)
def test_a_missing_function_of_the_api_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """The HOWTO's first case: an undefined reference to ECRYPT_init."""
    package = write_package(source=texts[1].replace(INIT, ""))
    build = builder.build(recipe(package, command))
    assert (build.stage, build.ok) == (BuildStage.LINK, False)
    assert build.reason == "the code does not define ECRYPT_init"
    assert "even if it is left empty" in build.cure
    assert "ECRYPT_init" in build.diagnostics


@pytest.mark.parametrize("command", COMPILERS)
def test_a_missing_helper_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """A function that no source of the package defines."""
    source = texts[1].replace(INIT, "void helper(void);\nvoid ECRYPT_init(void) { helper(); }")
    build = builder.build(recipe(write_package(source=source), command))
    assert build.reason == "nothing defines helper"
    assert "Add the source file that defines helper" in build.cure


@pytest.mark.parametrize("command", COMPILERS)
def test_a_function_defined_twice_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """A package that supplies the default packet function as well."""
    source = texts[1] + (
        "void ECRYPT_process_packet(int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *in,\n"
        "                           u8 *out, u32 len) { }\n"
    )
    build = builder.build(recipe(write_package(source=source), command))
    assert build.reason == "ECRYPT_process_packet is defined more than once"
    assert "ECRYPT_USES_DEFAULT_ALL_IN_ONE" in build.cure


@pytest.mark.parametrize("command", COMPILERS)
def test_a_main_beside_the_cipher_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """Some try the code in the file that has it; nothing is said of packet functions then."""
    source = f"{texts[1]}int main(void) {{ return 0; }}\n"
    build = builder.build(recipe(write_package(source=source), command))
    assert build.reason == "the package has a main() of its own"
    assert "a file of its own" in build.cure


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_comments_of_cplusplus_are_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """The HOWTO's second case; tcc takes them under any standard."""
    source = texts[1].replace("{ ctx->i", "{ // as the paper says\n ctx->i")
    build = builder.build(recipe(write_package(source=source, std="-ansi"), command))
    if build.ok:
        pytest.skip(f"{command} -ansi takes them")
    assert build.reason == "`//` comments are not part of ANSI C"
    assert '"//"' in build.cure


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_a_missing_64_bit_type_leads_to_c99(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """The HOWTO's third case; here the type is missing since its header comes too late."""
    package = write_package(source=f"static u64 early;\n{texts[1]}", std="-ansi")
    build = builder.build(recipe(package, command))
    assert build.reason == "the type u64 does not exist under this C standard"
    assert "std = -std=c99" in build.cure


@pytest.mark.parametrize("command", COMPILERS)
@pytest.mark.parametrize("path", ["tables.h", "/etc/hostname", str(Path(__file__).resolve())])
def test_a_missing_file_is_named_and_files_of_the_host_are_missing(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str,
    path: str,
) -> None:  # fmt: skip
    """A forgotten header, or one of the host's files: neither is there."""
    package = write_package(source=f'#include "{path}"\n{texts[1]}')
    build = builder.build(recipe(package, command))
    assert build.reason == f"the file {path} is included but not in the package"
    assert f"Add {path}" in build.cure


def test_the_assembler_cannot_read_the_host_either(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts
) -> None:
    """`.incbin` of a file outside fails, so its bytes never reach an agent."""
    source = texts[1] + '__asm__(".incbin \\"/etc/passwd\\"");\n'
    build = builder.build(recipe(write_package(source=source)))
    assert not build.ok
    assert "root:" not in build.diagnostics
    assert "/etc/passwd" in build.reason


@pytest.mark.parametrize(
    ("header", "processor"),
    [("altivec.h", "PowerPC AltiVec"), ("riscv_vector.h", "RISC-V"), ("visintrin.h", "SPARC VIS")],
)
def test_a_header_of_a_compiler_for_another_processor_skips_the_package(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, header: str,
    processor: str,
) -> None:  # fmt: skip
    """Nobody can add such a header to a package: the code is for another machine."""
    build = builder.build(recipe(write_package(source=f"#include <{header}>\n{texts[1]}")))
    assert build.stage is BuildStage.SKIPPED
    assert build.reason == (
        "the code is for another architecture or compiler "
        f"({processor}): there is no {header} here"
    )
    assert build.cure


@pytest.mark.parametrize("command", COMPILERS)
def test_a_refused_platform_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """What stands behind #error is passed on."""
    source = "#error only for machines from the future\n" + texts[1]
    build = builder.build(recipe(write_package(source=source), command))
    assert "only for machines from the future" in build.reason
    assert build.reason.startswith("the code stops with #error: ")
    assert build.stage is BuildStage.COMPILE


@pytest.mark.parametrize(
    ("told", "skipped"),
    [
        ("This code requires AVX512F to work", True),
        ("This version requires __SSE4_1__", True),
        ("This code produces standard results only on BE machines", True),
        ("Assembler code is only available for x86 and AMD64 systems", True),
        ("ARMv7M+DSP assembly code selected but supported.", True),
        ("there are wider implementations on this platform; fail the build", True),
        ("Exactly one of MY_FPEMU and MY_FPNATIVE must be selected", False),
        ("This code requires 8-bit bytes", False),
        ("Expecting a little-endian platform", False),  # which this machine is
    ],
)
def test_code_that_says_which_processor_it_needs_is_skipped(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts,
    told: str, skipped: bool,
) -> None:  # fmt: skip
    """What is wrong with the package itself still fails; messages are those of real packages."""
    build = builder.build(recipe(write_package(source=f'#error "{told}"\n{texts[1]}'), "gcc"))
    assert (build.stage is BuildStage.SKIPPED) is skipped, build.reason
    assert told in build.reason


@pytest.mark.parametrize("command", COMPILERS)
def test_a_missing_variant_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, command: str
) -> None:
    """A header that refuses a number below its own maximum."""
    build = builder.build(recipe(write_package(), command, variant=2))
    assert build.reason == "the header says that this variant does not exist"


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_foreign_assembly_is_named(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """Instructions of another processor."""
    source = texts[1] + '__asm__("frobnicate %eax, %ebx");\n'
    build = builder.build(recipe(write_package(source=source), command))
    assert build.reason == "the assembly is for another architecture or another assembler"
    assert ".S file" in build.cure


def test_a_compiler_out_of_memory_is_told(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A source that expands to more than the jail's memory."""
    small = replace(COMPILE_LIMITS, memory_bytes=160 << 20)
    monkeypatch.setattr("assay.compile.builder.COMPILE_LIMITS", small)
    rows = "".join(f"#define M{i + 1} M{i} M{i} M{i} M{i}\n" for i in range(12))
    source = texts[1] + "#define M0 1,\n" + rows + "static const int t[] = { M12 };\n"
    build = builder.build(recipe(write_package(source=source)))
    assert build.reason == "the compiler ran out of memory"


@pytest.mark.parametrize("command", COMPILERS)
def test_any_other_error_is_told_in_the_compilers_words(
    builder: Builder, write_package: WritePackage, recipe: MakeRecipe, texts: Texts, command: str
) -> None:
    """The first line with an error is the reason where none is known."""
    source = texts[1].replace("ctx->i = iv[0];", "ctx->i = nowhere[0];")
    build = builder.build(recipe(write_package(source=source), command))
    assert build.reason.startswith("compilation failed: ")
    assert "nowhere" in build.reason


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("x.o: undefined reference to `ECRYPT_AE_finalize'", "does not define ECRYPT_AE_finalize"),
        ("tcc: error: undefined symbol 'ECRYPT_init'", "does not define ECRYPT_init"),
        ("a.c:3: syntax error before '/' token", "`//` comments"),
        ('a.c:3: syntax error before "u64"', "the type u64"),
        ("a.c:3: error: expected ';' before 'u64'", "the type u64"),
        ("a.c:3: error: ';' expected (got \"u64\")", "the type u64"),
        ("cc1: out of memory allocating 65536 bytes", "ran out of memory"),
        ("ld: too little is left for the stack", "its memory for stack is too small"),
        (
            "a.s:1: Error: selected processor does not support `ldrd r0,r1,[r2]' in Thumb mode",
            "for another processor: this one has no `ldrd r0,r1,[r2]`",
        ),
        (
            "a.s:3: Error: cannot honor width suffix -- `and r2,r10,r7,lsr#12'",
            "this one has no `and r2,r10,r7,lsr#12`",
        ),
        (
            "a.s:3: Error: cannot honor width suffix -- `mov.n r2,#999'",
            "compilation failed: a.s:3",
        ),
    ],
)
def test_messages_of_other_compilers_are_known(message: str, reason: str) -> None:
    """Old ones, as the HOWTO quotes them, and what is rare."""
    assert reason in explain(message, "compilation")[0]


def test_every_reason_has_a_cure_that_can_be_written() -> None:
    """No pattern leaves a placeholder in its text."""
    for reason in REASONS:
        assert "{" not in reason.meaning.format("x") + reason.cure.format("x")
        assert reason.cure.endswith(".")


def test_a_failure_without_a_word_is_told_as_such() -> None:
    """A compiler that dies silently still gives a sentence."""
    assert explain("", "linking") == ("linking failed", "See the compiler's messages.")
