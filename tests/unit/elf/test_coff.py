# SPDX-License-Identifier: MIT
"""Object files of Windows, read as ELF: what GNU binutils say of them is what is found."""

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.compile.sizes import code_size
from assay.elf.coff import as_elf, is_coff
from assay.elf.reading import (
    ObjectError,
    counts,
    elf_of,
    global_symbols,
    open_object,
    require_limits,
    word_bits,
)

SOURCE = """
extern int outside(int);
int shared_by_all_that_are_linked[100];
static int kept[9], counter = 5;
void keep(int n) { kept[n] = n; }
const char table_of_constants[] = "some bytes that nobody writes";
static int inner(int n) { return kept[n] + counter++; }
int a_function_with_a_long_name(int n) { return outside(n) + inner(n) + table_of_constants[n]; }
int f(int n) { return n ? a_function_with_a_long_name(n) : 0; }
"""
SMALL = bytes.fromhex("6486") + struct.pack("<HIIIHH", 1, 0, 60, 1, 0, 0)


@pytest.fixture(params=[("x86_64", 64), ("i686", 32)], ids=lambda one: str(one[0]))
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, int, Path]:
    """Compile with mingw-w64's gcc; give the prefix of its tools, the word size, the object."""
    prefix, bits = f"{request.param[0]}-w64-mingw32-", request.param[1]
    if shutil.which(f"{prefix}gcc") is None:
        pytest.skip(f"{prefix}gcc is not here")
    (tmp_path / "x.c").write_text(SOURCE)
    line = [f"{prefix}gcc", "-O2", "-fno-inline", "-fcommon", "-c", "x.c"]
    subprocess.run(line, cwd=tmp_path, check=True)
    return prefix, bits, tmp_path / "x.o"


def said(*command: str) -> str:
    """Return what a tool prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_names_are_those_of_nm(made: tuple[str, int, Path]) -> None:
    """Long and short ones, defined, common and missing; without C's underscore on i386."""
    prefix, bits, path = made
    lines = [line.split() for line in said(f"{prefix}nm", "-g", str(path)).splitlines()]
    names = {(one[-1].removeprefix("_" * (bits == 32)), one[-2] == "U") for one in lines}
    with open_object(path) as elf:
        defined, needed = global_symbols(elf)
    assert defined == {name for name, missing in names if not missing}
    assert needed == {name for name, missing in names if missing} == {"outside"}
    assert {"f", "a_function_with_a_long_name", "shared_by_all_that_are_linked"} <= defined


def test_sizes_are_those_of_size(made: tuple[str, int, Path]) -> None:
    """Every loaded section has the bytes that GNU size prints; unwind tables do not count."""
    prefix, bits, path = made
    rows = re.findall(
        r"^(\S+) +([0-9]+) +[0-9]+$", said(f"{prefix}size", "-A", str(path)), re.MULTILINE
    )
    found = code_size(path)
    assert {one.name: one.size_bytes for one in found.sections} == {
        name: int(size) for name, size in rows if int(size) and name != ".drectve"
    }
    uncounted = {one.name for one in found.sections if not one.counted}
    unwinding = {".pdata", ".xdata"} if bits == 64 else {".eh_frame"}
    assert uncounted == {".rdata$zzz", *unwinding}
    assert (found.data_bytes > 0, found.bss_bytes > 0, word_bits(path)) == (True, True, bits)


def test_relocations_are_those_of_objdump(made: tuple[str, int, Path]) -> None:
    """Their number, and the places and names of those in code."""
    prefix, bits, path = made
    text = said(f"{prefix}objdump", "-r", "-j", ".text", str(path))
    rows = re.findall(r"^0*([0-9a-f]+) \S+ +(\S+)$", text, re.MULTILINE)
    with open_object(path) as elf:
        index = [one.name for one in elf.iter_sections()].index(".text")
        (fixes,) = [
            one
            for one in elf.iter_sections()
            if isinstance(one, RelocationSection) and one["sh_info"] == index
        ]
        table = elf.get_section(fixes["sh_link"])
        assert isinstance(table, SymbolTableSection)
        mine = [
            (one["r_offset"], table.get_symbol(one["r_info_sym"]).name)
            for one in fixes.iter_relocations()
        ]
    plain = [(int(at or "0", 16), name.removeprefix("_" * (bits == 32))) for at, name in rows]
    assert len(mine) == len(plain) > 0
    assert [at for at, _ in mine] == [at for at, _ in plain]
    assert "outside" in {name for _, name in mine}
    assert counts(path).relocations >= len(mine)


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [(2, 0xFFFF, "sections"), (12, 0x7FFF_FFFF, "symbols"), (16, 0xFFFF, None)],
)
def test_headers_that_lie_are_refused(tmp_path: Path, field: int, value: int, what: str) -> None:
    """Numbers beyond the limits are named; a table beyond the end of the file is cut short."""
    content = bytearray(SMALL + bytes(200))
    size = {2: "<H", 12: "<I", 16: "<H"}[field]
    struct.pack_into(size, content, field, value)
    (tmp_path / "x.o").write_bytes(content)
    with pytest.raises(ObjectError, match=what or "no ELF file"):
        require_limits([tmp_path / "x.o"])


def test_sections_upon_each_other_make_no_large_file(tmp_path: Path) -> None:
    """A thousand headers that all name the same megabyte would be a gigabyte of ELF."""
    head = bytes.fromhex("6486") + struct.pack("<HIIIHH", 1000, 0, 0, 0, 0, 0)
    row = struct.pack("<8sIIIIIIHHI", b".text", 0, 0, 1 << 20, 20, 0, 0, 0, 0, 0x6000_0020)
    (tmp_path / "x.o").write_bytes(head + row * 1000 + bytes(1 << 20))
    with pytest.raises(ObjectError, match="cut short"), open_object(tmp_path / "x.o"):
        pass


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(draw=st.data())
def test_nonsense_is_an_error_and_never_a_crash(
    made: tuple[str, int, Path], draw: st.DataObject
) -> None:
    """Bytes of an honest file are changed anywhere."""
    content = bytearray(made[2].read_bytes())
    for _ in range(draw.draw(st.integers(1, 6))):
        at = draw.draw(st.integers(0, len(content) - 1) | st.integers(0, 200))
        content[at] = draw.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]))
    del content[draw.draw(st.integers(len(content) // 2, len(content))) :]
    try:
        elf = elf_of(bytes(content))
        list(elf.iter_sections())
    except ObjectError:
        pass


def test_elf_files_are_not_taken_for_others() -> None:
    """And neither is text."""
    assert not is_coff(b"\x7fELF" + bytes(100))
    assert not is_coff(b"")
    assert is_coff(SMALL)
    with pytest.raises((ValueError, struct.error)):
        as_elf(SMALL)
