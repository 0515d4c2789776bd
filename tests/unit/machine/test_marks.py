# SPDX-License-Identifier: MIT
"""The user's key, with which results and agents are marked."""

from pathlib import Path

import pytest

from assay.machine import cache


def test_whoever_makes_the_key_at_the_same_moment_takes_the_first_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what one thread has marked is a stranger's for the next."""
    first = bytes(range(cache.KEY_BYTES))
    read = cache._read

    def once_too_early(path: Path) -> bytes | None:
        monkeypatch.setattr(cache, "_read", read)
        path.touch(0o600)
        path.write_bytes(first)
        return None

    monkeypatch.setattr(cache, "_read", once_too_early)
    assert cache._key(tmp_path) == first
    assert [one.name for one in tmp_path.iterdir()] == ["key"]


def test_a_key_that_others_can_read_is_replaced(tmp_path: Path) -> None:
    """It may be theirs."""
    known = bytes(cache.KEY_BYTES)
    (tmp_path / "key").write_bytes(known)
    (tmp_path / "key").chmod(0o644)
    assert cache._key(tmp_path) != known
    assert [one.name for one in tmp_path.iterdir()] == ["key"]
