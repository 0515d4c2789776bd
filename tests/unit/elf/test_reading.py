# SPDX-License-Identifier: MIT
"""What is read of object code: counted in its headers, compared with what pyelftools counts."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection
from hypothesis import given
from hypothesis import strategies as st

from assay.elf.reading import MOST, ObjectCounts, ObjectError, counts, open_object, require_limits

MANY_SECTIONS = (
    '.altmacro\n.macro s n\n.section .s\\n,"a"\n.byte 1\n.endm\n'
    ".set i,0\n.rept {}\ns %i\n.set i,i+1\n.endr\n"
)
MANY_SYMBOLS = (
    ".altmacro\n.macro s n\n.globl v\\n\nv\\n:\n.endm\n.set i,0\n.rept {}\ns %i\n"
    ".set i,i+1\n.endr\n"
)
MANY_RELOCATIONS = ".data\n.rept {}\n.quad outside\n.endr\n"
ROOM_BYTES = 256 << 20
SMALL = b"int other(int); static int (*f[])(int) = {other, other}; int a(int x){return f[x](x);}"


def assembled(folder: Path, text: str, *options: str) -> Path:
    """Assemble a text."""
    source, made = folder / "x.s", folder / "x.o"
    source.write_text(text)
    subprocess.run(["gcc", *options, "-c", str(source), "-o", str(made)], check=True)
    return made


@pytest.mark.parametrize(
    ("text", "number", "what"),
    [
        (MANY_SECTIONS, MOST.sections, "sections"),
        (MANY_SECTIONS, 70_000, "sections"),  # more than the header's field can say
        (MANY_SYMBOLS, MOST.symbols, "symbols"),
        (MANY_RELOCATIONS, MOST.relocations + 1, "relocations"),
    ],
)
def test_a_line_that_makes_hundreds_of_thousands_is_refused_before_it_is_parsed(
    tmp_path: Path, text: str, number: int, what: str
) -> None:
    """The process that looks has little memory, and the message says the number."""
    made = assembled(tmp_path, text.format(number))
    program = (
        "import sys; from pathlib import Path\n"
        "from assay.elf.reading import ObjectError, require_limits\n"
        "try: require_limits([Path(sys.argv[1])])\n"
        "except ObjectError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(made)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM_BYTES, ROOM_BYTES)),
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    most = getattr(MOST, what)
    assert done.stdout.startswith("the object code has "), done.stderr
    assert done.stdout.endswith(f" {what}, and at most {most} are read\n")


def test_several_files_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package may have many sources."""
    made = assembled(tmp_path, MANY_SYMBOLS.format(10))
    monkeypatch.setattr("assay.elf.reading.MOST", ObjectCounts(1000, 25, 1000))
    require_limits([made])
    with pytest.raises(ObjectError, match="symbols"):
        require_limits([made] * 3)


def test_a_name_of_a_megabyte_is_refused(tmp_path: Path) -> None:
    """Names may share their ends, so that each of many is read as a long one."""
    made = assembled(tmp_path, f".globl {'a' * (1 << 20)}\n{'a' * (1 << 20)}:\n")
    with pytest.raises(ObjectError, match="name of more than"):
        counts(made)


@pytest.mark.parametrize("options", [("-m64",), ("-m32",), ("-m64", "-g", "-ffunction-sections")])
def test_counts_are_those_of_pyelftools(tmp_path: Path, options: tuple[str, ...]) -> None:
    """For both sizes of word; relocations of debug data are not among them."""
    made = tmp_path / "x.o"
    command = ["gcc", *options, "-x", "c", "-c", "-", "-o", str(made)]
    if subprocess.run(command, input=SMALL, check=False, capture_output=True).returncode:
        pytest.skip("this compiler does not take the options")
    with made.open("rb") as stream:
        elf = ELFFile(stream)
        sections = list(elf.iter_sections())
        symbols = sum(s.num_symbols() for s in sections if isinstance(s, SymbolTableSection))
        loaded = [
            s.num_relocations()
            for s in sections
            if isinstance(s, RelocationSection) and elf.get_section(s["sh_info"])["sh_flags"] & 2
        ]
    assert counts(made) == ObjectCounts(len(sections), symbols, sum(loaded))
    with open_object(made) as elf:
        assert elf.num_sections() == len(sections)


@given(st.data())
def test_whatever_the_headers_say_ends_with_counts_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Damaged files raise what a build reports."""
    made = tmp_path_factory.mktemp("elf") / "x.o"
    image = bytearray(Path("/usr/bin/true").read_bytes()[:4096])
    for _ in range(data.draw(st.integers(0, 6))):
        image[data.draw(st.integers(0, 63))] = data.draw(st.integers(0, 255))
    made.write_bytes(image)
    try:
        found = counts(made)
    except ObjectError:
        return
    assert min(found.sections, found.symbols, found.relocations) >= 0


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"text", b"\x7fELF\x02\x01" + bytes(100)])
def test_what_is_no_elf_file_is_an_error_or_empty(tmp_path: Path, content: bytes) -> None:
    """Nothing else is raised."""
    path = tmp_path / "x.o"
    path.write_bytes(content)
    if content.endswith(bytes(8)):
        assert counts(path) == ObjectCounts()
        return
    with pytest.raises(ObjectError, match=r"x\.o cannot be read as object code"):
        counts(path)
