# SPDX-License-Identifier: MIT
"""What a driver would link is linked without it, to the same program, or by the driver."""

from pathlib import Path

import pytest

from assay.compile.linking import linker_line, one_linker, run_link
from assay.execute.command import run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, strongest_jail
from assay.execute.staging import hand_over, staged_folder
from assay.model import Compiler
from assay.toolchain.survey import examine

MAIN = "int helper(void);\nint main(void) { return helper(); }\n"
HELPER = "int helper(void) { return 0; }\n"


def compiler(command: str) -> Compiler:
    """Find one; both are among what Assay needs for its tests."""
    found = examine(command)
    assert isinstance(found, Compiler)
    return found


def staged(home: Path, one: Compiler, helper: str = HELPER) -> list[str]:
    """Compile a program of two objects, and give the line that links them."""
    jail = strongest_jail()
    for name, text in (("main.c", MAIN), ("helper.c", helper)):
        (home / name).write_text(text)
    hand_over(home)
    for source, made in (("main.c", "main.o"), ("helper.c", "helper.o")):
        line = [str(one.path), "-c", source, "-o", made]
        assert run_jailed(line, home, jail, LONG_COMPILE_LIMITS).ok
    parts = [f"{home}/main.o", f"{home}/helper.o"]
    return [str(one.path), "-o", "agent", *parts, "-Wl,--as-needed", "-lm"]


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_the_program_is_the_drivers_own(command: str) -> None:
    """Byte for byte."""
    one, jail = compiler(command), strongest_jail()
    with staged_folder("assay-build-") as home:
        line = staged(home, one)
        assert run_link(one, line, home, jail, LONG_COMPILE_LIMITS).ok
        first = (home / "agent").read_bytes()
        assert run_jailed(line, home, jail, LONG_COMPILE_LIMITS).ok
        assert (home / "agent").read_bytes() == first


def test_the_line_of_clang_is_that_of_a_linker_with_the_files_in_their_places() -> None:
    """What stands behind a file goes on standing behind it."""
    one, jail = compiler("clang"), strongest_jail()
    with staged_folder("assay-build-") as home:
        line = linker_line(one, staged(home, one), home, jail)
        assert line is not None
        assert Path(line[0]).name.startswith("ld")
        at = [line.index(word) for word in (f"{home}/main.o", f"{home}/helper.o", "-lm")]
        assert at == sorted(at)


def test_a_failure_is_told_in_the_drivers_words() -> None:
    """Reasons are read from them."""
    one, jail = compiler("clang"), strongest_jail()
    with staged_folder("assay-build-") as home:
        line = staged(home, one, "int another(void) { return 0; }\n")
        ended = run_link(one, line, home, jail, LONG_COMPILE_LIMITS)
        assert not ended.ok
        assert "undefined reference to `helper'" in ended.output
        assert "linker command failed" in ended.output


@pytest.mark.parametrize(
    "said",
    [
        "",
        ' "/usr/bin/ld" "-o" "a"\n "/usr/bin/objcopy" "a"\n',
        ' "/usr/bin/clang" "-cc1"\n',
        ' "ld" "-o" "a"\n',
        ' "/usr/bin/ld" "/tmp/a-123.o"\n',
        ' "/usr/bin/ld" "unfinished\n',
        ' "/usr/bin/ld" "\\$x"\n',
    ],
)
def test_an_answer_of_another_kind_is_none(said: str) -> None:
    """Then the driver itself is started."""
    assert one_linker(said) is None


def test_quoted_words_are_read_as_a_shell_reads_them() -> None:
    """Folders may have any name."""
    said = 'clang version 1\n "/usr/bin/ld.lld" "-L/a b" "c"\n'
    assert one_linker(said) == ("/usr/bin/ld.lld", "-L/a b", "c")
