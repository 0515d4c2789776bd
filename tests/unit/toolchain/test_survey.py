# SPDX-License-Identifier: MIT
"""Running candidates: rejecting what does not work, discarding duplicates."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.model import Compiler
from assay.toolchain import process
from assay.toolchain.search import candidates
from assay.toolchain.survey import Survey, examine, survey, without_duplicates

PathWith = Callable[..., Path]
WriteScript = Callable[[Path, str, str], None]


def _survey() -> Survey:
    """Survey what is on the path."""
    return survey(candidates())


def _commands(found: Survey) -> list[str]:
    """Name the compilers that were kept."""
    return [each.command for each in found.compilers]


def test_names_of_one_compiler_are_one(path_with: PathWith) -> None:
    """Gcc is kept of gcc, gcc-12, cc and the driver's full name."""
    path_with(gcc="gcc", gcc_12="gcc", cc="gcc", x86_64_linux_gnu_gcc="gcc")
    assert _commands(_survey()) == ["gcc"]


def test_a_wrapper_around_a_compiler_is_a_duplicate(
    path_with: PathWith, write_script: WriteScript
) -> None:
    """Debian's c99 is a script that starts gcc; ccache is a program that does."""
    folder = path_with(gcc="gcc")
    write_script(folder, "c99", f'exec {shutil.which("gcc")} -std=c99 "$@"')
    assert _commands(_survey()) == ["gcc"]


def test_cc_is_kept_if_it_is_the_only_name(path_with: PathWith) -> None:
    """And it is known for what it is."""
    path_with(cc="gcc")
    found = _survey()
    assert [(each.command, each.family) for each in found.compilers] == [("cc", "gcc")]


def test_different_compilers_are_all_kept_in_a_fixed_order(path_with: PathWith) -> None:
    """Gcc comes first, as in the HOWTO."""
    path_with(tcc="tcc", clang="clang", gcc="gcc")
    found = _survey()
    assert [each.family for each in found.compilers] == ["gcc", "clang", "tcc"]
    assert all(each.version and each.target for each in found.compilers)
    assert len({each.identity for each in found.compilers}) == len(found.compilers)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("echo 'no licence' >&2; exit 1", "cannot compile a trivial program: no licence"),
        ("exit 0", "does not run"),
        ('while [ $# -gt 1 ]; do shift; done; cp /bin/false "$1"', "does not run"),
        ('while [ $# -gt 1 ]; do shift; done; cp /bin/true "$1"', "does not run"),
    ],
)
def test_what_cannot_make_a_program_that_runs_is_rejected(
    path_with: PathWith, write_script: WriteScript, text: str, reason: str
) -> None:
    """The reason is told; a program that does nothing is not enough."""
    folder = path_with(cp="cp")
    write_script(folder, "gcc", text)
    found = _survey()
    assert found.compilers == ()
    assert [(command, reason in why) for command, why in found.rejected] == [("gcc", True)]


def test_a_compiler_that_hangs_is_rejected(
    path_with: PathWith, write_script: WriteScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its children are ended with it."""
    monkeypatch.setattr(process.run, "__defaults__", (0.2,))
    folder = path_with(sleep="sleep")
    write_script(folder, "gcc", "sleep 60 & wait")
    found = _survey()
    assert found.compilers == ()
    assert "no end after" in found.rejected[0][1]


def test_a_command_that_is_not_there_is_rejected() -> None:
    """The user may have misspelt it in `candidates`."""
    assert examine("/nowhere/gcc") == "it is not on the path"


def test_options_in_a_command_make_another_compiler(path_with: PathWith) -> None:
    """A user may list `tcc -g` beside `tcc`."""
    path_with(tcc="tcc")
    plain, other = examine("tcc"), examine("tcc -g")
    assert isinstance(plain, Compiler)
    assert isinstance(other, Compiler)
    assert len(without_duplicates([plain, other])) == 2
