# SPDX-License-Identifier: MIT
"""The catalogue is whole, a user's file may add to it, and names are understood."""

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.model import Runner, Runtime, Target
from assay.targets.architectures import families
from assay.targets.catalogue import catalogue, choose, fits, native, users_targets

ROOT = Path(__file__).parents[3]
PAPER = {"mips-le", "mips-be", "ppc", "arm-le", "mixed-le", "thumb-le", "arm-be", "mixed-be",
         "thumb-be", "avr8", "i386", "amd64"}  # fmt: skip
BOARD = """
[[target]]
name = "bench"
base = "qemu-cortex-m3"
title = "the one on my desk"
runner = "serial"
line = "/dev/ttyACM0"
speed = 115200
"""


def users(tmp_path: Path, text: str) -> tuple[Target, ...]:
    """Read a file of a user's targets."""
    path = tmp_path / "targets.toml"
    path.write_text(text)
    return users_targets(path)


def test_this_machine_comes_first() -> None:
    """And needs neither an emulator nor a cross compiler."""
    assert catalogue()[0] is native()
    assert native().is_native
    assert (native().emulator, native().compiler) == ("", "gcc")


def test_names_are_unique() -> None:
    """One name, one target."""
    names = [one.name for one in catalogue()]
    assert len(names) == len(set(names))


def test_the_twelve_of_the_paper_and_as_many_others_are_there() -> None:
    """Annex A.3, and what has come since."""
    architectures = {one.architecture for one in catalogue() if not one.is_native}
    assert architectures > PAPER
    assert len(architectures - PAPER) >= 12


@pytest.mark.parametrize("target", catalogue()[1:], ids=lambda one: one.name)
def test_every_entry_is_complete(target: Target) -> None:
    """What builds, links and runs for it is named, and what is counted."""
    assert all((target.title, target.architecture, target.abi, target.packages))
    assert target.bits in (8, 16, 32, 64)
    assert target.endian in ("little", "big")
    counts = {Runner.SIMAVR: "cycles", Runner.WINE: None}
    assert target.counts == counts.get(target.runner, "instructions")
    assert bool(target.board) == (target.runtime is Runtime.BOARD)
    assert target.compiler.endswith("gcc") or target.compiler == "gcc-12"
    assert (target.emulator == "") == (target.runner is Runner.SIMAVR)


@pytest.mark.parametrize("target", catalogue()[1:], ids=lambda one: one.name)
def test_every_entry_names_the_packages_that_bring_its_tools(target: Target) -> None:
    """The compiler's, and the emulator's; never the multilib that throws out all the others."""
    compiler = target.compiler.removesuffix("-gcc").removesuffix("-w64-mingw32").replace("_", "-")
    assert any(compiler in name for name in target.packages)
    prefix = {Runner.QEMU_USER: "qemu-user", Runner.QEMU_SYSTEM: "qemu-system-arm",
              Runner.SIMAVR: "libsimavr-dev", Runner.WINE: "wine64"}[target.runner]  # fmt: skip
    assert prefix in target.packages
    assert "gcc-multilib" not in target.packages


@pytest.mark.parametrize("target", catalogue()[1:], ids=lambda one: one.name)
def test_every_board_has_a_port(target: Target) -> None:
    """The port that an entry names is a file of the harness."""
    if target.board:
        assert (ROOT / "src/assay/harness/boards" / f"{target.board}.c").is_file()


def test_targets_are_chosen_by_name_and_by_architecture() -> None:
    """Each once, in the order in which they were named."""
    chosen = choose(["ppc", "qemu-mips", "mips-be"], catalogue())
    assert [one.name for one in chosen] == ["qemu-ppc603e", "qemu-mips"]


def test_the_name_of_this_machines_architecture_means_the_emulated_one() -> None:
    """`amd64` shall mean the same on every machine; this one is `native`."""
    (chosen,) = choose(["amd64"], catalogue())
    assert chosen.name == "qemu-amd64"
    assert choose(["native"], catalogue()) == (native(),)


def test_all_means_every_target_once() -> None:
    """Also beside other names."""
    assert choose(["all"], catalogue()) == catalogue()
    assert set(choose(["qemu-mips", "all"], catalogue())) == set(catalogue())
    assert len(choose(["qemu-mips", "all"], catalogue())) == len(catalogue())


def test_a_misspelt_name_is_refused_with_the_nearest() -> None:
    """The cure names what may have been meant."""
    with pytest.raises(UsageError, match="unknown target 'qemu-mpis'") as caught:
        choose(["qemu-mpis"], catalogue())
    assert "qemu-mips" in caught.value.cure


def test_a_users_board_takes_what_it_does_not_say_from_its_base(tmp_path: Path) -> None:
    """Compiler and options, but nothing of the emulator."""
    (bench,) = users(tmp_path, BOARD)
    (base,) = choose(["qemu-cortex-m3"], catalogue())
    assert (bench.runner, bench.line, bench.speed) == (Runner.SERIAL, "/dev/ttyACM0", 115200)
    assert (bench.compiler, bench.options) == (base.compiler, base.options)
    assert (bench.emulator, bench.machine, bench.counts) == ("", "", None)
    assert not any("qemu" in name for name in bench.packages)


def test_a_users_own_port_is_found_from_the_file(tmp_path: Path) -> None:
    """A port written with a folder is relative to the file that names it."""
    (bench,) = users(tmp_path, BOARD + 'board = "ports/mine.c"\n')
    assert bench.board == str((tmp_path / "ports/mine.c").resolve())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[target]\n", "targets.toml"),
        ('[[target]]\nname = "a"\n', "the field title, "),
        (BOARD.replace("speed", "sped"), "there is no field sped"),
        (BOARD.replace('"serial"', '"cereal"'), "cereal"),
        (BOARD.replace('line = "/dev/ttyACM0"\n', ""), "runner serial needs `line`"),
        (BOARD.replace("cortex-m3", "cortex-m33"), "qemu-cortex-m33"),
        (BOARD.replace('"bench"', '"qemu-mips"'), "there is a target 'qemu-mips' already"),
        (BOARD + BOARD, "there is a target 'bench' already"),
        (BOARD.replace("cortex-m3", "mips") + 'runtime = "board"\n', "needs `board`"),
        ("target = 8\n", "`target` is no list of tables"),
        ("target = [1]\n", "`target` is no list of tables"),
        (BOARD + "board = 5\n", "`board` is 5, no string"),
        (BOARD + "pic = 1\n", "`pic` is 1, no true or false"),
        (BOARD + 'bits = "32"\n', "`bits` is '32', no number"),
        (BOARD + "counts = 1\n", "`counts` is 1, no string"),
        (BOARD + "options = [1]\n", "`options` is (1,), no list of strings"),
        (BOARD.replace('"qemu-cortex-m3"', "[]"), "not well described"),
    ],
)  # fmt: skip
def test_files_that_are_not_well_formed_are_refused(tmp_path: Path, text: str, says: str) -> None:
    """With the file, what is wrong and a cure."""
    with pytest.raises(UsageError) as caught:
        users(tmp_path, text)
    assert says in str(caught.value)
    assert "targets.toml" in str(caught.value)
    assert caught.value.cure


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """With its name, once; a folder, too."""
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: No such file or directory$"):
        users_targets(tmp_path / "none.toml")
    with pytest.raises(UsageError, match=r"cannot be read: Is a directory$"):
        users_targets(tmp_path)


def test_code_runs_where_its_architecture_does() -> None:
    """C everywhere; assembly on its own targets and those that run it, too."""
    by_name = {one.name: one for one in catalogue()}
    assert all(fits(None, one) for one in catalogue())
    assert [name for name, one in by_name.items() if fits("thumb-le", one)] == [
        "qemu-armv4t", "qemu-thumb"
    ]  # fmt: skip
    assert fits("thumb2", by_name["qemu-cortex-m4"])
    assert not fits("thumb2", by_name["qemu-cortex-m0"])
    assert not fits("mips-le", by_name["qemu-mips"])


def test_families_told_from_registers_have_targets() -> None:
    """Each of them means architectures of the catalogue."""
    known = {name for one in catalogue() for name in one.architectures}
    assert {name for one in families() for name in one.architectures} <= known
    assert fits("32-bit x86", choose(["i386"], catalogue())[0])
    assert not fits("32-bit x86", choose(["qemu-amd64"], catalogue())[0])
