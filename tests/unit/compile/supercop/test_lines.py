# SPDX-License-Identifier: MIT
"""The lines that a shell is given."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.compile.parts import DROP
from assay.compile.supercop.lines import (
    combine_line,
    compile_lines,
    compile_words,
    compiler_path,
    hide_line,
    linker,
    script,
    symbol,
    tool,
)
from assay.model import Compiler, Configuration
from assay.targets.catalogue import catalogue, choose, native

GCC = Compiler("gcc", "gcc-12", Path("/usr/bin/gcc-12"), "", "", "gcc")
CLANG = Compiler("clang", "clang", Path("/opt/bin/clang"), "", "", "clang")


def configuration(arch: str) -> Configuration:
    """Give a configuration with options for the machine."""
    return Configuration("gcc", "gcc-12", arch, "-O2", "name", "name")


def test_sources_of_one_name_have_two_objects() -> None:
    """`a/x.c` and `b/x.c` are different files."""
    lines = compile_lines(["cc"], ["a/x.c", "b/x.c", "x.S"])
    objects = [line.rsplit(" ", 1)[1] for line in lines if line.startswith("cc ")]
    assert objects == ["../objects/0-x.c.o", "../objects/1-x.c.o", "../objects/2-x.S.o"]


def test_options_of_one_source_are_not_those_of_the_others() -> None:
    """NIST's generator is renamed in its own file only."""
    lines = compile_lines(["cc"], ["kem.c", "rng.c"], more={"rng.c": ["-Drandombytes=other"]})
    assert "cc -c kem.c -o ../objects/0-kem.c.o" in lines
    assert "cc -Drandombytes=other -c rng.c -o ../objects/1-rng.c.o" in lines


def test_a_source_whose_name_means_something_to_a_shell_is_a_name() -> None:
    """Nobody's file runs a command."""
    assert "cc -c 'a;b.c' -o '../objects/0-a;b.c.o'" in compile_lines(["cc"], ["a;b.c"])


@pytest.mark.parametrize(
    ("compiler", "language", "path"),
    [
        (GCC, "c", "/usr/bin/gcc-12"),
        (GCC, "c++", "/usr/bin/g++-12"),
        (CLANG, "c", "/opt/bin/clang"),
        (CLANG, "c++", "/opt/bin/clang++"),
    ],
)
def test_a_language_has_its_compiler(compiler: Compiler, language: str, path: str) -> None:
    """C++ has another one of the same version."""
    assert compiler_path(compiler, language) == path


def test_names_are_given_by_macros_with_and_without_an_underscore() -> None:
    """Assembly of some systems has an underscore before every name of C."""
    words = compile_words(GCC, configuration("-march=native"), "c", "crypto_hash_toy")
    assert words[:3] == ["/usr/bin/gcc-12", "-march=native", "-O2"]
    assert "-DSUPERCOP" in words
    assert "-DCRYPTO_NAMESPACE(name)=crypto_hash_toy_##name" in words
    assert "-D_CRYPTO_NAMESPACE(name)=_crypto_hash_toy_##name" in words
    assert "-D_CRYPTO_SHARED_NAMESPACE(name)=_crypto_hash_toy_##name" in words
    assert "-DCRYPTO_NAMESPACETOP=crypto_hash_toy" in words
    assert "-D_CRYPTO_NAMESPACETOP=_crypto_hash_toy" in words


@pytest.mark.parametrize(
    ("language", "kept"),
    [("c", ["-std=gnu11", "-std=iso9899:1999"]), ("c++", ["-std=c++17", "-std=gnu++20"])],
)
def test_the_standard_of_a_language_is_told_to_its_compiler_alone(
    language: str, kept: list[str]
) -> None:
    """A package in C++ has an adapter in C, and clang refuses the other's."""
    standards = ("-std=c++17", "-std=gnu11", "-std=gnu++20", "-std=iso9899:1999")
    level = replace(configuration(""), opt=" ".join(("-O1", *standards, "-fno-builtin")))
    words = compile_words(CLANG, level, language, "own")
    assert [one for one in words if one.startswith("-std=")] == kept
    assert {"-O1", "-fno-builtin"} <= set(words)


def test_tools_for_32_bits_are_told_so() -> None:
    """Only the linker must be; the others see it."""
    assert tool(configuration("-m32"), native(), "ld") == "ld -m elf_i386"
    assert tool(configuration("-m32"), native(), "objcopy") == "objcopy"
    assert tool(configuration(""), native(), "ld") == "ld"


def test_one_symbol_remains() -> None:
    """All others become local, so that they replace nothing."""
    line = hide_line("objcopy", "table", "all.o", "combined.o", configuration(""), native())
    assert "--keep-global-symbol=table" in line
    assert line.endswith(" all.o combined.o")
    assert "--strip-debug" in line


def test_windows_has_an_underscore_on_32_bits_and_sections_that_are_sorted() -> None:
    """Names in its object files, and the package's static memory in one piece."""
    wide, narrow = choose(["windows-amd64", "windows-i386"], catalogue())
    assert (symbol(wide, "f"), symbol(narrow, "f"), symbol(native(), "f")) == ("f", "_f", "f")
    line = hide_line("objcopy", "table", "all.o", "to.o", configuration(""), wide)
    assert "--rename-section '.bss=.data$assay_n,alloc,load,data,contents'" in line
    assert "assay_bss" not in line


def test_source_lines_stay_where_they_are_asked_for() -> None:
    """Valgrind and sanitizers name them."""
    asked = replace(configuration(""), opt="-O2 -g")
    assert "--strip-debug" not in hide_line("objcopy", "table", "all.o", "to.o", asked, native())


def test_one_object_is_made_of_many() -> None:
    """As a relocatable one, with room for what is common."""
    words = combine_line(linker(configuration(""), native()), "a.o b.o", "to.o").split()
    assert words[:3] == ["ld", "-r", "-d"]
    assert words[-4:] == ["-o", "to.o", "a.o", "b.o"]


@pytest.mark.parametrize("name", ["native", "qemu-riscv32"])
def test_groups_are_kept_until_the_last_objects_are_combined(name: str) -> None:
    """The adapter may bring the same ones as the package, of which one is dropped."""
    (target,) = choose([name], catalogue())
    assert "group" in linker(configuration(""), target)
    assert "group" not in linker(configuration(""), target, last=False)


def test_a_compiler_starts_the_linker_where_there_is_no_c_library() -> None:
    """It alone knows which emulation its options ask for; that of AVR is too old for groups."""
    narrow, board = choose(["qemu-riscv32", "simavr-atmega1281"], catalogue())
    words = linker(configuration(""), narrow).split()
    assert words[:2] == ["riscv64-unknown-elf-gcc", "-march=rv32imac"]
    assert {"-nostdlib", "-r", "-Wl,--force-group-allocation"} <= set(words)
    assert "group" not in linker(configuration(""), board)


def test_variables_on_boards_keep_names_that_linker_scripts_know() -> None:
    """A board whose memory nobody lays out leaves them where they are."""
    ours, avr = choose(["qemu-cortex-m4", "simavr-atmega1281"], catalogue())
    line = hide_line("objcopy", "table", "all.o", "to.o", configuration(""), ours)
    assert ".data=.data.assay,alloc,load,data,contents" in line
    line = hide_line("objcopy", "table", "all.o", "to.o", configuration(""), avr)
    assert "--rename-section" not in line


def test_a_script_ends_with_the_first_line_that_fails() -> None:
    """Else a missing object would be noticed later, or not at all."""
    assert script(["a", "b"]) == ["sh", "-ec", "a\nb"]


@pytest.mark.parametrize("name", ["native", "qemu-riscv32", "simavr-atmega1281"])
def test_code_stays_in_sections_where_what_nothing_refers_to_is_dropped(name: str) -> None:
    """Files of assembly have one section each, of one name, which would become one."""
    (target,) = choose([name], catalogue())
    usual = configuration("")
    dropping = replace(usual, opt=f"-O2 {DROP}")
    assert "--unique=.text" not in linker(usual, target)
    assert "--unique=.text" in linker(dropping, target)
