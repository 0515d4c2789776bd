# SPDX-License-Identifier: MIT
"""Compilers of this machine, for tests that drive real ones."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

TOOLS = ("as", "ld")


@pytest.fixture
def path_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Make PATH a folder of links: `path_with(gcc="gcc", cc="gcc")`."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def link(**links: str) -> Path:
        found = {name: shutil.which(tool) for name, tool in links.items()}
        missing = sorted(links[name] for name, path in found.items() if path is None)
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")
        for name, path in {**{tool: shutil.which(tool) for tool in TOOLS}, **found}.items():
            if path:
                folder.joinpath(name.replace("_", "-")).symlink_to(path)
        monkeypatch.setenv("PATH", str(folder))
        return folder

    return link


def script(folder: Path, name: str, text: str) -> None:
    """Put a shell script into a folder."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def write_script() -> Callable[[Path, str, str], None]:
    """Give the tests of this folder the function above."""
    return script
