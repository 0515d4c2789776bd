# SPDX-License-Identifier: MIT
"""With which options packages of the SUPERCOP API are tried."""

from pathlib import Path

import pytest

from assay.errors import MachineError
from assay.model import Compiler
from assay.toolchain import shortlist
from assay.toolchain.archs import ArchFit

ARCHS = {"gcc": "-march=native -mtune=native -mno-rdseed", "clang": "-march=native"}


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Compiler]:
    """Give the compilers that are found; tests change them."""
    found = {name: Compiler(name, name, Path(name), "", "", name) for name in ("gcc", "clang")}
    monkeypatch.setattr(shortlist, "examine", lambda command: found.get(command, "not there"))
    monkeypatch.setattr(shortlist, "richest", lambda one: ArchFit("", ARCHS[one.command]))
    return found


def test_every_level_is_tried_with_every_compiler(compilers: dict[str, Compiler]) -> None:
    """The level that wins most often comes first, with what the compiler may use here."""
    listed, known = shortlist.supercop_configurations()
    assert [one.name for one in listed] == [
        "gcc_native_O3", "clang_native_O3", "gcc_native_O2", "clang_native_O2",
        "gcc_native_Os", "clang_native_Os", "gcc_native_O", "clang_native_O",
    ]  # fmt: skip
    assert known == compilers
    assert {one.arch for one in listed if one.command == "gcc"} == {ARCHS["gcc"]}
    assert {one.arch for one in listed if one.command == "clang"} == {ARCHS["clang"]}
    assert all("-fwrapv" in one.opt.split() for one in listed)


def test_a_level_that_stands_in_for_native_is_named(
    compilers: dict[str, Compiler], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is called native that is not; a compiler may have no option of use at all."""
    del compilers["clang"]
    for arch, name in (("-march=x86-64-v3 -maes", "x86-64-v3-maes"), (None, "default")):
        monkeypatch.setattr(shortlist, "richest", lambda _, arch=arch: ArchFit("", arch))
        listed, _ = shortlist.supercop_configurations()
        assert (listed[0].name, listed[0].arch) == (f"gcc_{name}_O3", arch or "")


def test_one_compiler_is_enough(compilers: dict[str, Compiler]) -> None:
    """The other one is left out."""
    del compilers["clang"]
    listed, known = shortlist.supercop_configurations()
    assert set(known) == {"gcc"} == {one.command for one in listed}


def test_without_a_compiler_the_cure_is_told(compilers: dict[str, Compiler]) -> None:
    """The command that installs one."""
    compilers.clear()
    with pytest.raises(MachineError, match="there is no C compiler") as caught:
        shortlist.supercop_configurations()
    assert "apt-get install" in caught.value.cure
