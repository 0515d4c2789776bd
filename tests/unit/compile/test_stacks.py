# SPDX-License-Identifier: MIT
"""What object files say of the stack: they ask, they are silent, or there is nothing in them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.compile.sizes import stacks_of
from assay.model import Stacks

NOTE = '.section .note.GNU-stack,"{}",%progbits\n'
TEXTS = {
    "plain.c": "int f(void) { return 1; }\n",
    "fine.S": ".text\nnop\n" + NOTE.format(""),
    "asks.S": ".text\nnop\n" + NOTE.format("x"),
    "silent.S": ".text\nnop\n",
    "table.S": ".section .rodata\n.byte 1\n",
    "other.S": "#if defined(__AVR__)\n.text\nnop\n#endif\n",
}


def test_asking_being_silent_and_being_empty_are_told_apart(tmp_path: Path) -> None:
    """Compilers write a note that asks for nothing; a file for other machines needs none."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    objects = []
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        made = tmp_path / f"{name}.o"
        subprocess.run(["gcc", "-c", str(tmp_path / name), "-o", str(made)], check=True)
        objects.append((name, made))
    assert stacks_of(objects) == Stacks(("asks.S",), ("silent.S", "table.S"), ("other.S",))


def test_what_is_no_object_file_says_nothing(tmp_path: Path) -> None:
    """Other checks refuse it; a link is not followed."""
    (tmp_path / "damaged.o").write_bytes(b"\x7fELF" + bytes(60))
    (tmp_path / "link.o").symlink_to("/etc/hostname")
    names = ("damaged.o", "link.o", "missing.o")
    assert stacks_of([(name, tmp_path / name) for name in names]) == Stacks()
