# SPDX-License-Identifier: MIT
"""Sizes of object files for SUPERCOP's lines, read within the limits of all readers."""

import subprocess
from pathlib import Path

import pytest

from assay.elf import reading
from assay.elf.files import object_sizes
from assay.elf.reading import ObjectCounts, ObjectError, elf_of


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Compile a few functions, constants and variables."""
    source = "int a = 3, b; const int c = 5; int f(void) { return a + b + c; }\n"
    (tmp_path / "x.c").write_text(source)
    subprocess.run(["gcc", "-c", "x.c"], cwd=tmp_path, check=True)
    return tmp_path / "x.o"


def test_sizes_are_those_of_gnu_size(made: Path) -> None:
    """The tool that eBACS takes them from."""
    said = subprocess.run(["size", made], capture_output=True, text=True, check=True).stdout
    assert object_sizes(made) == tuple(map(int, said.splitlines()[1].split()[:3]))


def test_an_object_beyond_the_limits_has_no_sizes(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report does not spend minutes on what a stranger's package left in the store."""
    monkeypatch.setattr(reading, "MOST", ObjectCounts(sections=5, symbols=1000, relocations=1000))
    assert object_sizes(made) is None
    with pytest.raises(ObjectError, match="at most 5 are read"):
        elf_of(made.read_bytes())


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), b"no object" * 9])
def test_what_is_no_object_has_no_sizes(tmp_path: Path, content: bytes) -> None:
    """Whatever was put in its place."""
    (tmp_path / "x.o").write_bytes(content)
    assert object_sizes(tmp_path / "x.o") is None
    with pytest.raises(ObjectError):
        elf_of(content)
