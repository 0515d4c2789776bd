# SPDX-License-Identifier: MIT
"""With which options packages of the SUPERCOP API are tried."""

from pathlib import Path

import pytest

from assay.errors import MachineError
from assay.model import Compiler
from assay.toolchain import supercop


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Compiler]:
    """Give the compilers that are found; tests change them."""
    found = {name: Compiler(name, name, Path(name), "", "", name) for name in ("gcc", "clang")}
    monkeypatch.setattr(supercop, "examine", lambda command: found.get(command, "not there"))
    return found


def test_every_level_is_tried_with_every_compiler(
    compilers: dict[str, Compiler], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The level that wins most often comes first."""
    monkeypatch.setattr(supercop, "machine", lambda: "x86_64")
    listed, known = supercop.supercop_configurations()
    assert [one.name for one in listed] == [
        "gcc_native_O3", "clang_native_O3", "gcc_native_O2", "clang_native_O2",
        "gcc_native_Os", "clang_native_Os", "gcc_native_O", "clang_native_O",
    ]  # fmt: skip
    assert known == compilers
    assert {one.arch for one in listed if one.command == "gcc"} == {"-march=native -mtune=native"}
    assert {one.arch for one in listed if one.command == "clang"} == {"-march=native"}
    assert all("-fwrapv" in one.opt.split() for one in listed)


def test_clang_is_told_the_processor_as_it_knows_it(
    compilers: dict[str, Compiler], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where `-march=native` is unknown to it."""
    assert compilers
    monkeypatch.setattr(supercop, "machine", lambda: "aarch64")
    listed, _ = supercop.supercop_configurations()
    assert {one.arch for one in listed if one.command == "clang"} == {"-mcpu=native"}
    assert {one.arch for one in listed if one.command == "gcc"} == {"-march=native -mtune=native"}


def test_one_compiler_is_enough(compilers: dict[str, Compiler]) -> None:
    """The other one is left out."""
    del compilers["clang"]
    listed, known = supercop.supercop_configurations()
    assert set(known) == {"gcc"} == {one.command for one in listed}


def test_without_a_compiler_the_cure_is_told(compilers: dict[str, Compiler]) -> None:
    """The command that installs one."""
    compilers.clear()
    with pytest.raises(MachineError, match="there is no C compiler") as caught:
        supercop.supercop_configurations()
    assert "apt-get install" in caught.value.cure
