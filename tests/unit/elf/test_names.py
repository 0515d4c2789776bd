# SPDX-License-Identifier: MIT
"""The names of an object file, compared with nm."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.elf.files import global_names

SOURCE = """
int shared = 1; int zeros[9]; const int table[2] = {1, 2}; static int hidden = 3;
extern int other(void);
__attribute__((weak)) int weak_function(void) { return hidden; }
__attribute__((weak)) int weak_object = 4;
int function(void) { return other() + shared + zeros[0] + table[1]; }
static int unseen(void) { return hidden++; }
int (*used)(void) = unseen;
"""


@pytest.mark.skipif(shutil.which("nm") is None, reason="nm is not installed")
@pytest.mark.parametrize("option", ["-fcommon", "-fno-common"])
def test_names_and_letters_are_those_of_nm(tmp_path: Path, option: str) -> None:
    """Global and weak ones that are defined; local and undefined ones are no names for others."""
    (tmp_path / "a.c").write_text(SOURCE)
    subprocess.run(["gcc", option, "-c", "a.c"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["nm", "-pP", "-g", "--defined-only", "a.o"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    listed = sorted(tuple(line.split()[:2]) for line in done.stdout.splitlines())
    assert global_names(tmp_path / "a.o") == listed
    assert len(listed) == 7


def test_what_is_no_object_file_has_no_names(tmp_path: Path) -> None:
    """The store of another machine names files that are not here."""
    assert global_names(tmp_path / "absent.o") == []
    (tmp_path / "text.o").write_text("text")
    assert global_names(tmp_path / "text.o") == []
