# SPDX-License-Identifier: MIT
"""What all builds of a process see is one folder, which nobody who is jailed can change."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from assay.compile.supercop.layout import link_shared, seeing_shared, shared_folder
from assay.execute.command import run_jailed
from assay.execute.jail import Limits, strongest_jail
from assay.execute.staging import staged_folder


def test_it_is_the_same_folder_each_time() -> None:
    """That is what it is for."""
    assert shared_folder() == shared_folder()


def test_threads_that_begin_together_get_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each build shows one to its jail, and links to it a moment later."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    together = Barrier(8)

    def get(_: int) -> Path:
        together.wait()
        return shared_folder()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(get, range(8)))) == 1


def test_a_folder_that_was_cleaned_away_is_made_again() -> None:
    """Systems remove what lies in /tmp for long."""
    shutil.rmtree(shared_folder() / "plain")
    assert (shared_folder() / "plain" / "crypto_hash.h").is_file()


def test_another_temporary_folder_has_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lies where the builds lie."""
    first = shared_folder()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert shared_folder().parent == tmp_path
    assert shared_folder() != first


def test_jailed_commands_read_it_by_their_own_names_and_cannot_write() -> None:
    """Otherwise one package could change what the next is compiled with."""
    jail = seeing_shared(strongest_jail())
    with staged_folder() as home:
        link_shared(home, "provided")
        read = run_jailed(["cat", "provided/include/crypto_int8.h"], home, jail, Limits())
        assert "crypto_int8" in read.output
        wrote = run_jailed(["sh", "-c", "echo > provided/new"], home, jail, Limits())
        assert not wrote.ok
        removed = run_jailed(["rm", "provided/include/crypto_int8.h"], home, jail, Limits())
        assert not removed.ok
    assert (shared_folder() / "provided" / "include" / "crypto_int8.h").is_file()
    assert not (shared_folder() / "provided" / "new").exists()
