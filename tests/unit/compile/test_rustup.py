# SPDX-License-Identifier: MIT
"""Finding the toolchain that rustup installed, where the jail sees no cargo of the system."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.compile import cargo
from assay.execute.command import run_jailed
from assay.execute.jail import COMPILE_LIMITS, strongest_jail
from assay.execute.staging import staged_folder


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a toolchain, and a rustc in PATH that names it; give the toolchain."""
    root, path = tmp_path / "private/toolchain", tmp_path / "path"
    for folder in (root / "bin", root / "lib", path):
        folder.mkdir(parents=True)
    for tool in ("cargo", "rustc"):
        (root / "bin" / tool).write_text(f"#!/bin/sh\necho the {tool} itself\n")
        (root / "bin" / tool).chmod(0o755)
    (path / "rustc").write_text(f'#!/bin/sh\n[ "$*" = "--print sysroot" ] && echo {root}\n')
    (path / "rustc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}:{os.environ['PATH']}")
    monkeypatch.setattr(cargo, "SYSTEM", str(tmp_path / "nothing"))
    cargo.rustup_toolchain.cache_clear()
    yield root
    cargo.rustup_toolchain.cache_clear()


def test_a_jailed_command_runs_the_toolchain_that_rustc_names(proxy: Path) -> None:
    """It does so where only its owner may enter the folder, too."""
    proxy.parent.chmod(0o700)
    found = cargo.rustup_toolchain()
    assert found is not None
    with staged_folder() as home:
        jail = strongest_jail((found,))
        ended = run_jailed([str(found / "bin/cargo")], home, jail, COMPILE_LIMITS)
    assert ended.output == "the cargo itself\n"


def test_a_toolchain_without_cargo_is_none(proxy: Path) -> None:
    """Rustup installs rustc alone if asked to."""
    (proxy / "bin/cargo").unlink()
    assert cargo.rustup_toolchain() is None


def test_a_cargo_of_the_system_comes_first(proxy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The jail sees that one as it is."""
    monkeypatch.setattr(cargo, "SYSTEM", str(proxy / "bin"))
    assert cargo.rustup_toolchain() is None
