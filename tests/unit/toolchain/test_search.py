# SPDX-License-Identifier: MIT
"""Finding what looks like a compiler, without running it."""

import os
from pathlib import Path

import pytest

from assay.toolchain import search


def _install(folder: Path, *names: str) -> None:
    """Put executables into a folder that would leave a trace if they were run."""
    folder.mkdir(exist_ok=True)
    for name in names:
        path = folder / name
        path.write_text(f"#!/bin/sh\ntouch {folder}/was-run\n")
        path.chmod(0o755)


def _commands(path: str, *, cross: bool = False) -> list[str]:
    """Name what is found."""
    return [each.command for each in search.candidates(path, cross=cross)]


@pytest.fixture(autouse=True)
def amd64(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine be the same everywhere."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("platform.system", lambda: "Linux")


def test_plain_and_versioned_names_are_candidates(tmp_path: Path) -> None:
    """The names of the brief, and nothing that only resembles them."""
    names = [
        "gcc",
        "gcc-12",
        "gcc-4.9",
        "clang",
        "clang-14",
        "icc",
        "icx",
        "tcc",
        "cc",
        "c99",
        "cl",
    ]
    others = [
        "gcc-ar",
        "gcc-ar-12",
        "clang++",
        "clang-format",
        "c99-gcc",
        "g++",
        "gccgo",
        "tccd",
        "clear",
    ]
    _install(tmp_path, *names, *others)
    assert sorted(names) == sorted(_commands(str(tmp_path)))


def test_nothing_is_executed(tmp_path: Path) -> None:
    """The user has not agreed yet."""
    _install(tmp_path, "gcc", "cc")
    _commands(str(tmp_path))
    assert not (tmp_path / "was-run").exists()


def test_cross_compilers_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    """A prefix of another target makes a cross compiler, one of this machine does not."""
    cross = ["aarch64-linux-gnu-gcc", "avr-gcc", "mips-linux-gnu-gcc-12", "x86_64-w64-mingw32-gcc"]
    native = ["gcc", "i386-linux-gcc", "x86_64-linux-gnu-gcc-12"]
    _install(tmp_path, *cross, *native)
    assert native == sorted(_commands(str(tmp_path)))
    assert sorted(cross + native) == sorted(_commands(str(tmp_path), cross=True))


def test_relative_and_missing_folders_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty entry of PATH means the working folder."""
    _install(tmp_path, "gcc")
    monkeypatch.chdir(tmp_path)
    assert _commands(os.pathsep.join(["", ".", str(tmp_path / "none")])) == []


def test_files_that_cannot_be_executed_are_no_candidates(tmp_path: Path) -> None:
    """Neither plain files, nor folders, nor dangling links."""
    tmp_path.joinpath("gcc").write_text("")
    tmp_path.joinpath("clang").mkdir()
    tmp_path.joinpath("tcc").symlink_to("nowhere")
    assert _commands(str(tmp_path)) == []


def test_a_name_in_two_folders_is_one_candidate(tmp_path: Path) -> None:
    """The shell would run the first."""
    _install(tmp_path / "a", "gcc")
    _install(tmp_path / "b", "gcc")
    assert _commands(f"{tmp_path}/a{os.pathsep}{tmp_path}/b") == ["gcc"]


@pytest.mark.parametrize(
    ("command", "family"),
    [
        ("gcc-12", "gcc"),
        ("/opt/x/clang-14", "clang"),
        ("icx", "clang"),
        ("c99", "cc"),
        ("mips-linux-gnu-gcc -EL", "gcc"),
        ("something", "cc"),
    ],
)
def test_the_name_suggests_a_family(command: str, family: str) -> None:
    """Before anything is run there is only the name."""
    assert family == search.family_of(command)


@pytest.mark.parametrize(
    ("command", "prefix"),
    [("mips-linux-gnu-gcc-12", "mips-linux-gnu"), ("x86_64-linux-gnu-gcc", ""), ("gcc", "")],
)
def test_a_cross_compiler_is_known_by_its_prefix(command: str, prefix: str) -> None:
    """Consumers keep such configurations from running as native ones."""
    assert prefix == search.cross_prefix(command)
