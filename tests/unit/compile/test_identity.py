# SPDX-License-Identifier: MIT
"""Identical object code: what changes the hash, and what does not."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.compile.files import object_hash
from assay.model import Compiler

CODE = """\
static const unsigned char table[4] = {1, 2, 3, 4};
unsigned int counter;
static unsigned int twice(unsigned int x) { return 2 * x; }
unsigned int step(unsigned int x) { counter += x; return twice(x) + table[x & 3] + 0x1234u; }
int other(int);
int call(int x) { return other(x) + 1; }
"""
# More lines, comments and blanks; nothing else.
RELAID = "/* a comment */\n\n" + CODE.replace(";", " ; /* here */\n\n").replace("(", " ( ")
COMPILERS = ("gcc", "clang", "tcc")

Hash = Callable[..., str]


@pytest.fixture(params=COMPILERS)
def hashed(
    request: pytest.FixtureRequest, tmp_path: Path, compiler: Callable[[str], Compiler]
) -> Hash:
    """Give a function that compiles a text and hashes the object code."""
    path = compiler(request.param).path

    def run(text: str, *options: str, name: str = "code.c") -> str:
        (tmp_path / name).write_text(text)
        made = tmp_path / "made.o"
        command = [str(path), "-O1", *options, "-c", name, "-o", str(made)]
        subprocess.run(command, cwd=tmp_path, check=True)
        return object_hash((made,))

    return run


def test_the_same_source_gives_the_same_hash(hashed: Hash) -> None:
    """Compiling twice is compiling once."""
    assert hashed(CODE) == hashed(CODE)


def test_comments_and_blanks_do_not_count(hashed: Hash) -> None:
    """What the compiler does not see makes no other file."""
    assert hashed(CODE) == hashed(RELAID)


def test_options_that_change_nothing_do_not_count(hashed: Hash) -> None:
    """Configurations with the same code share it."""
    assert hashed(CODE) == hashed(CODE, "-DNOBODY_ASKS_FOR_IT=1")


def test_debug_data_counts(hashed: Hash) -> None:
    """It is not loaded, but a program can read it in its own file and do as it says."""
    assert hashed(CODE) != hashed(CODE, "-g")


ADDED = {
    "nothing": "",
    "a loaded section that is called a note": '.section .note.evil,"ax",@progbits\n.byte 195',
    "a loaded section that is called a comment": '.section .comment.evil,"a",@progbits\n.byte 1',
    "a loaded section that is called an unwind table": '.section .eh_frame_evil,"a"\n.byte 1',
    "a section that is not loaded": '.section .debug_evil,"",@progbits\n.byte 1',
    "a common symbol": ".comm evil,8,8",
    "its size": ".comm evil,4096,8",
    "its alignment": ".comm evil,8,64",
    "a weak alias": ".weak evil\n.set evil, step",
    "the type of a symbol": ".globl evil\n.set evil, step\n.type evil,@gnu_indirect_function",
    "the size of a symbol": ".globl evil\n.set evil, step\n.size evil,1",
    "the visibility of a symbol": ".globl evil\n.set evil, step\n.hidden evil",
    "an alias": ".globl evil\n.set evil, step",
    "an absolute symbol": ".globl evil\nevil = 7",
    "an undefined symbol": ".globl evil\n.quad evil",
    "a weak undefined symbol": ".weak evil\n.quad evil",
    "a local symbol": ".byte 0\nevil: .byte 0",
    "a constructor": '.section .init_array,"aw",@init_array\n.quad step',
    "an executable stack": '.section .note.GNU-stack,"x",@progbits',
    "thread-local storage": '.section .tbss,"awT",@nobits\n.zero 8',
    "zeros": '.section .evil,"aw",@progbits\n.zero 8',
    "zeros that are not in the file": '.section .evil,"aw",@nobits\n.zero 8',
    "a group": '.section .text.evil,"axG",@progbits,evil,comdat\nret',
}


@pytest.mark.parametrize("hashed", ["gcc", "clang"], indirect=True)
def test_every_addition_in_assembly_is_another_code(hashed: Hash) -> None:
    """Sections count whatever they are called, and symbols with all that is said of them."""
    hashes = {}
    for what, lines in ADDED.items():
        text = lines.replace('"', '\\"').replace("\n", "\\n")
        hashes[what] = hashed(f'{CODE}\n__asm__("{text}\\n.text");\n')
    same = [what for what, found in hashes.items() if list(hashes.values()).count(found) > 1]
    assert same == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0x1234u", "0x1235u"),  # a constant in the code
        ("3, 4}", "3, 5}"),  # in read-only data
        ("counter;", "counter = 1;"),  # in data
        ("counter;", "counter[9];\n#define counter counter[0]"),  # the size of .bss
        ("other", "others"),  # which function is called
        ("int call", "int calls"),  # what can be called
        ("counter += x", "counter -= x"),
        ("2 * x", "3 * x"),
    ],
)
def test_what_runs_counts(hashed: Hash, old: str, new: str) -> None:
    """A changed constant, datum, size, reference or definition is other code."""
    changed = CODE.replace(old, new)
    assert changed != CODE
    assert hashed(CODE) != hashed(changed)


def test_code_for_32_and_64_bits_differs(
    tmp_path: Path, compiler: Callable[[str], Compiler]
) -> None:
    """Also where there is no code at all: the machine counts."""
    hashes = set()
    for option in ("-m32", "-m64"):
        made = tmp_path / f"made{option}.o"
        (tmp_path / "empty.c").write_text("typedef int nothing;\n")
        command = [str(compiler("gcc").path), option, "-c", "empty.c", "-o", str(made)]
        if subprocess.run(command, cwd=tmp_path, check=False).returncode:
            pytest.skip(f"gcc {option} does not work here")
        hashes.add(object_hash((made,)))
    assert len(hashes) == 2


def test_the_order_of_objects_counts(tmp_path: Path, compiler: Callable[[str], Compiler]) -> None:
    """Two objects in another order are linked to another program."""
    objects = []
    for name in ("one", "two"):
        (tmp_path / f"{name}.c").write_text(f"int {name}(void) {{ return {len(name)}; }}\n")
        objects.append(tmp_path / f"{name}.o")
        command = [str(compiler("gcc").path), "-c", f"{name}.c"]
        subprocess.run(command, cwd=tmp_path, check=True)
    assert object_hash((objects[0], objects[1])) != object_hash((objects[1], objects[0]))
