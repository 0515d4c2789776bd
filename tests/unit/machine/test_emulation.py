# SPDX-License-Identifier: MIT
"""Whether the processor is emulated is asked once after each start of the machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machine import describe, virtual


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str | None]]:
    """Return what the system will say, one answer after another; the cache is empty."""
    answers: list[str | None] = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(describe, "hypervisor", lambda _: answers.pop(0))
    monkeypatch.setattr(virtual, "BOOT", tmp_path / "boot")
    (tmp_path / "boot").write_text("first\n")
    yield answers
    virtual.emulated.cache_clear()


def again() -> bool:
    """Ask as another process would."""
    virtual.emulated.cache_clear()
    return virtual.emulated()


@pytest.mark.parametrize(("name", "emulated"), [("qemu", True), ("kvm", False), (None, False)])
def test_it_is_known_until_the_machine_is_started_again(
    asked: list[str | None], name: str | None, emulated: bool
) -> None:
    """On bare metal, too."""
    asked += [name, "qemu"]
    assert (again(), again()) == (emulated, emulated)
    assert asked == ["qemu"]
    virtual.BOOT.write_text("second\n")
    assert again()


def test_without_a_number_of_the_start_it_is_asked_each_time(asked: list[str | None]) -> None:
    """Other systems have no such file."""
    virtual.BOOT.unlink()
    asked += ["kvm", "qemu"]
    assert (again(), again()) == (False, True)
