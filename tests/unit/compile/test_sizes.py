# SPDX-License-Identifier: MIT
"""Code size: what counts, to the byte, of objects that are made on the spot."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.compile.sizes import code_size
from assay.targets.catalogue import catalogue, choose

PLAIN = r"""
.text
.globl first
.type first, %function
first: .skip 12
.size first, 12
.type second, %function
second: .skip 20
.size second, 20
.section .rodata,"a"
.skip 7
.data
.skip 5
.bss
.skip 300
"""
DESCRIBED = r"""
.text
.skip 8
.section .eh_frame,"a"
.skip 24
.section .note.gnu.property,"a",%note
.skip 32
.section .debug_info
.skip 1000
.section .comment
.skip 50
"""
TABLES = r"""
.text
.skip 2
.section .text.more,"ax"
.skip 10
.section .rodata.str1.1,"aMS",%progbits,1
.skip 3
.section .data.rel.ro,"aw"
.skip 4
"""
UNSIZED = r"""
.text
.type first, %function
first: .skip 6
.type second, %function
second: .skip 10
inside: .skip 4
"""
NEEDY = r"""
.text
.globl mine
mine: .skip 4
.section .rodata,"a"
.long memcpy
.long strange
.long mine
"""
ALL = (PLAIN, DESCRIBED, TABLES, UNSIZED, NEEDY)


def assembled(folder: Path, text: str, *command: str) -> Path:
    """Assemble a text for this machine, or with another command."""
    words = command or ("gcc",)
    if shutil.which(words[0]) is None:
        pytest.skip(f"no {words[0]}")
    source, to = folder / "object.s", folder / "object.o"
    source.write_text(text)
    subprocess.run([*words, "-c", str(source), "-o", str(to)], check=True, capture_output=True)
    return to


def test_each_section_is_what_its_flags_say(tmp_path: Path) -> None:
    """Code is text, constants are rodata, and what can be written is data or bss."""
    size = code_size(assembled(tmp_path, PLAIN))
    assert (size.text_bytes, size.rodata_bytes) == (32, 7)
    assert (size.data_bytes, size.bss_bytes) == (5, 300)
    assert (size.total_bytes, size.dec_bytes) == (344, 344)


def test_what_describes_code_is_left_out_and_listed(tmp_path: Path) -> None:
    """Unwind tables and notes are loaded and do not count; debugging is not even loaded."""
    size = code_size(assembled(tmp_path, DESCRIBED))
    assert (size.total_bytes, size.dec_bytes) == (8, 8 + 24 + 32)
    left_out = {one.name: one.size_bytes for one in size.sections if not one.counted}
    assert left_out == {".eh_frame": 24, ".note.gnu.property": 32}
    assert all(one.policy for one in size.sections)


READS = ".text\nleal k(%rip), %eax\n"
HIDDEN = {
    "code in a table's name": '.section .eh_frame_c,"ax"\n.skip 100\n',
    "a table in a note's name": '.section .note.k,"a",@progbits\n.skip 100\n',
    "a note that code reads": f'{READS}.section .note.k,"a",@note\nk: .skip 100\n',
    "unwinding that code reads": f'{READS}.section .eh_frame,"a"\nk: .skip 100\n',
    "an object in a note": (
        '.section .note.k,"a",@note\n.type k, @object\nk: .skip 100\n.size k, 100\n'
    ),
    "a note of a note": (
        f'{READS}.section .note.k,"a",@note\nk: .quad j\n.skip 92\n'
        '.section .note.j,"a",@note\nj: .skip 100\n'
    ),
    "a note that can be written": '.section .note.k,"aw",@note\n.skip 100\n',
    "unwinding that runs": '.section .eh_frame,"ax"\n.skip 100\n',
    "the name and more": '.section .xdata_k,"a"\n.skip 100\n',
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_code_and_tables_count_under_any_name_and_type(tmp_path: Path, text: str) -> None:
    """Only what describes code to others is left out, and nothing that the code uses."""
    size = code_size(assembled(tmp_path, text))
    assert size.total_bytes == size.dec_bytes >= 100


def test_sections_count_whatever_their_name(tmp_path: Path) -> None:
    """-ffunction-sections and merged strings make no code smaller."""
    size = code_size(assembled(tmp_path, TABLES))
    assert (size.text_bytes, size.rodata_bytes, size.data_bytes) == (12, 3, 4)


@pytest.mark.parametrize("text", ALL, ids=("plain", "described", "tables", "unsized", "needy"))
@pytest.mark.parametrize("machine", ["", "mips-linux-gnu-", "s390x-linux-gnu-", "arm-none-eabi-"])
def test_gnu_size_says_the_same(tmp_path: Path, text: str, machine: str) -> None:
    """The sum that binutils print, on machines of both byte orders and word sizes."""
    path = assembled(tmp_path, text, f"{machine}gcc")
    printed = subprocess.run([f"{machine}size", str(path)], capture_output=True, text=True,
                             check=True).stdout.split()  # fmt: skip
    dec = dict(zip(printed[:6], printed[6:12], strict=True))["dec"]
    assert int(dec) == code_size(path).dec_bytes


def test_the_flags_of_the_mips_abi_do_not_count(tmp_path: Path) -> None:
    """The paper's binutils made none of the 48 bytes that today's add to every object."""
    text = ".text\n.skip 16\n"
    path = assembled(tmp_path, text, "mips-linux-gnu-gcc", "-march=mips32", "-mabi=32")
    size = code_size(path)
    assert (size.total_bytes, size.dec_bytes) == (16, 16 + 24 + 24)


def test_functions_have_the_bytes_that_their_symbols_say(tmp_path: Path) -> None:
    """Local ones, too, the largest first."""
    assert code_size(assembled(tmp_path, PLAIN)).functions == (("second", 20), ("first", 12))


def test_functions_without_a_size_reach_to_the_next_one(tmp_path: Path) -> None:
    """Or to the end of the section; labels inside of them begin nothing."""
    assert code_size(assembled(tmp_path, UNSIZED)).functions == (("second", 14), ("first", 6))


def test_thumb_functions_begin_at_even_addresses(tmp_path: Path) -> None:
    """The lowest bit of their symbols tells the state of the processor."""
    (target,) = choose(["qemu-thumb"], catalogue())
    text = ".thumb\n.thumb_func\n.type f, %function\nf: nop\nnop\n.thumb_func\n"
    text += ".type g, %function\ng: nop\n"
    path = assembled(tmp_path, text, target.compiler, *target.options)
    assert code_size(path).functions == (("f", 4), ("g", 2))


def test_what_is_needed_from_elsewhere_is_named(tmp_path: Path) -> None:
    """In alphabetical order, without what the object itself defines."""
    assert code_size(assembled(tmp_path, NEEDY)).externals == ("memcpy", "strange")


def test_an_object_without_code_has_no_size(tmp_path: Path) -> None:
    """Nothing is 0 bytes, and no error."""
    size = code_size(assembled(tmp_path, "\n"))
    assert (size.total_bytes, size.functions, size.externals) == (0, (), ())
