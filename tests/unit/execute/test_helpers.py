# SPDX-License-Identifier: MIT
"""The helpers that count are built once, on demand, without a warning."""

import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import MachineError
from assay.execute import counting
from assay.execute.counting import placed, plugin, simavr_runner

HARNESS = Path(counting.__file__).parents[1] / "harness"
STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-O1")


@pytest.fixture
def new_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_helpers_are_built_once(new_cache: Path) -> None:
    """By whoever comes first; the others wait and find it."""
    built: list[Path] = []
    threads = [threading.Thread(target=lambda: built.append(plugin())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(built)) == 1
    assert len(built) == 4
    before = built[0].stat().st_mtime_ns
    assert plugin().stat().st_mtime_ns == before
    assert built[0].is_relative_to(new_cache)


@pytest.mark.parametrize("helper", [plugin, simavr_runner])
def test_a_machine_without_a_compiler_is_told_what_to_install(
    new_cache: Path, monkeypatch: pytest.MonkeyPatch, helper: Callable[[], Path]
) -> None:
    """The cure is a line to type."""
    assert new_cache.is_dir()
    monkeypatch.setattr(counting, "COMPILERS", ("no-such-compiler",))
    with pytest.raises(MachineError) as caught:
        helper()
    assert "apt-get install gcc" in caught.value.cure


def test_a_missing_library_is_told_what_to_install(
    new_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler's own words, and the packages; nothing half-done stays behind."""
    helper = counting.RUNNER
    monkeypatch.setattr(
        counting, "RUNNER",
        counting._Helper(helper.source, helper.name, ("-isystem", "/"), ("-lno-such-library",),
                      helper.cure),
    )  # fmt: skip
    with pytest.raises(MachineError, match="cannot build assay-simavr") as caught:
        simavr_runner()
    assert "libsimavr-dev" in caught.value.cure
    assert [path.name for path in new_cache.rglob("assay-simavr*")] == []


def test_a_helper_is_placed_again_when_it_has_changed(tmp_path: Path) -> None:
    """A folder of an older campaign has an older helper."""
    helper = tmp_path / "helper"
    helper.write_text("new")
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "helper").write_text("old")
    assert placed(helper, folder).read_text() == "new"
    assert placed(helper, folder).stat().st_mode & 0o777 == 0o755
    assert [path.name for path in folder.iterdir()] == ["helper"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("source", ["qemu-plugin.c", "simavr.c"])
def test_the_helpers_have_no_warning(compiler: str, source: str) -> None:
    """They are ours."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    if source == "simavr.c" and not Path("/usr/include/simavr").is_dir():
        pytest.skip("libsimavr-dev is not installed")
    command = [compiler, *STRICT, "-fsyntax-only", str(HARNESS / "counting" / source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
