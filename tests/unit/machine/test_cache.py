# SPDX-License-Identifier: MIT
"""The user's cache, in which nobody else may write, and what carries the user's mark."""

import os
from pathlib import Path

import pytest

from assay.compile.files import FOLDERS, content_of_agent, is_kept, keep_agent, used_folder
from assay.errors import MachineError
from assay.machine import cache


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder for the cache of a process that has just begun."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    new_process()
    return tmp_path


def new_process() -> None:
    """Forget what a process remembers of its cache."""
    cache._own.cache_clear()
    cache._key.cache_clear()


@pytest.mark.parametrize("mode", [None, 0o777, 0o775, 0o722])
def test_nobody_else_can_write_in_the_cache(base: Path, mode: int | None) -> None:
    """It is made so, and one of ours that others could write to is closed."""
    if mode is not None:
        (base / "assay").mkdir()
        (base / "assay").chmod(mode)
    assert cache.cache_folder() == base / "assay"
    assert (base / "assay").stat().st_mode & 0o777 == 0o700


def test_a_cache_of_another_user_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is compiled there would be run."""
    (base / "assay").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: (base / "assay").stat().st_uid + 1)
    with pytest.raises(MachineError, match="another user") as refused:
        cache.cache_folder()
    assert "XDG_CACHE_HOME" in refused.value.cure


def test_a_mark_holds_for_the_same_bytes_and_the_same_key(base: Path) -> None:
    """Other bytes, another division of them, or another user's key: no mark."""
    mark = cache.mark_of(b"ab", b"c")
    new_process()
    assert cache.is_mark(mark, b"ab", b"c")
    assert not cache.is_mark(mark, b"a", b"bc")
    assert not cache.is_mark("\udc80" + mark[1:], b"ab", b"c")
    assert (base / "assay/key").stat().st_mode & 0o777 == 0o600
    (base / "assay/key").unlink()
    new_process()
    assert not cache.is_mark(mark, b"ab", b"c")


@pytest.mark.parametrize("planted", ["open", "link", "short", "FIFO"])
def test_a_key_that_others_may_know_is_replaced(base: Path, planted: str) -> None:
    """Whoever knows it could mark what this user would believe."""
    (base / "assay").mkdir(mode=0o700)
    key, known = base / "assay/key", b"k" * cache.KEY_BYTES
    if planted == "link":
        (base / "elsewhere").write_bytes(known)
        (base / "elsewhere").chmod(0o600)
        key.symlink_to(base / "elsewhere")
    elif planted == "FIFO":
        os.mkfifo(key, 0o600)
    else:
        key.write_bytes(known if planted == "open" else known[1:])
        key.chmod(0o644 if planted == "open" else 0o600)
    cache.mark_of(b"x")
    assert not key.is_symlink()
    assert key.read_bytes() != known
    assert len(key.read_bytes()) == cache.KEY_BYTES
    assert key.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in (base / "assay").iterdir()] == ["key"]


def test_an_agent_runs_only_as_it_was_linked_and_under_its_name(base: Path) -> None:
    """A planted one, or another package's under this name, is never executed."""
    made, agent, other = base / "made", base / "code-1", base / "code-2"
    made.write_bytes(b"\x7fELF agent")
    keep_agent(made, agent)
    assert content_of_agent(agent) == b"\x7fELF agent"
    other.write_bytes(agent.read_bytes())
    planted = agent.read_bytes().replace(b"agent", b"Agent")
    for path, content in ((other, None), (agent, planted), (agent, b""), (agent, b"short")):
        if content is not None:
            path.write_bytes(content)
        assert not is_kept(path)
        with pytest.raises(MachineError, match="not the agent"):
            content_of_agent(path)
    keep_agent(made, agent)
    other.unlink()
    agent.rename(other)
    agent.symlink_to(other)
    assert not is_kept(agent)


def test_agents_of_folders_that_are_long_unused_are_removed(base: Path) -> None:
    """Those of the folder at hand stay, and the newest of others."""
    for number in range(FOLDERS + 4):
        (base / f"agents/{number}").mkdir(parents=True)
        os.utime(base / f"agents/{number}", (2e9 + number, 2e9 + number))
    os.utime(base / "agents/9", (1e9, 1e9))
    assert used_folder(base / "agents/0") == base / "agents/0"
    left = sorted(int(one.name) for one in (base / "agents").iterdir())
    assert len(left) == FOLDERS
    assert left == [0, *range(4, 9), *range(10, FOLDERS + 4)]


def test_a_cache_that_cannot_be_written_is_told_before_it_is_needed(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as a failure of the package that is compiled first."""
    assert cache.written_cache() == base / "assay"
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(MachineError, match="cannot be written") as refused:
        cache.written_cache()
    assert "XDG_CACHE_HOME" in refused.value.cure
