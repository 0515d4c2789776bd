# SPDX-License-Identifier: MIT
"""What of a target is missing on a machine, and the line that installs it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.model import Runner, Target
from assay.targets import catalogue as module
from assay.targets.catalogue import catalogue, choose, install_line, look_for, native


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the only one where programs are looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def provide(folder: Path, *names: str) -> None:
    """Put programs into a folder."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


def target(name: str) -> Target:
    """Find a target."""
    return choose([name], catalogue())[0]


def test_what_is_missing_is_named(programs: Path) -> None:
    """The compiler first, then the emulator, until both are there."""
    mips = target("qemu-mips")
    assert look_for(mips).missing == ("mips-linux-gnu-gcc", "qemu-mips")
    provide(programs, "mips-linux-gnu-gcc")
    found = look_for(mips)
    assert (found.ok, found.reason) == (False, "not installed: qemu-mips")
    provide(programs, "qemu-mips")
    assert look_for(mips).ok


def test_a_file_that_cannot_be_run_is_no_program(programs: Path) -> None:
    """What lies on the path must be executable."""
    (programs / "gcc").write_text("")
    assert look_for(native()).missing == ("gcc",)
    provide(programs, "gcc")
    assert look_for(native()).ok


def test_simavr_is_a_library_and_needs_its_header(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its runner is compiled here."""
    header = programs / "sim_avr.h"
    monkeypatch.setattr(module, "_HEADERS", {"simavr": (header,)})
    provide(programs, "avr-gcc")
    assert look_for(target("simavr-atmega1281")).missing == (str(header),)
    header.touch()
    assert look_for(target("simavr-atmega1281")).ok


def test_another_machine_needs_a_way_to_it(programs: Path) -> None:
    """A target over SSH has no emulator, but a client."""
    away = replace(target("qemu-aarch64"), runner=Runner.SSH, line="pi", emulator="")
    provide(programs, "aarch64-linux-gnu-gcc")
    assert look_for(away).missing == ("ssh",)


def test_the_line_installs_what_the_missing_ones_need_and_no_more(programs: Path) -> None:
    """Sorted, each package once, nothing of what is there; without any there is no line."""
    provide(programs, "s390x-linux-gnu-gcc", "qemu-s390x")
    found = [look_for(target(name)) for name in ("qemu-mips", "qemu-mipsel", "qemu-s390x")]
    line = install_line(found)
    packages = line.removeprefix("apt-get install -y --no-install-recommends ").split()
    wanted = {*target("qemu-mips").packages, *target("qemu-mipsel").packages}
    assert packages == sorted(wanted)
    assert found[0].cure == install_line(found[:1])
    assert install_line(found[2:]) == ""
