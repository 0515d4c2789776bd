# SPDX-License-Identifier: MIT
"""Revisions as people name them, and work trees of commits that leave nothing behind."""

import subprocess
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.machine import git as module
from assay.machine.git import Repository, checked_out, head_of, is_range, repository_at


def git(folder: Path, *arguments: str) -> str:
    """Call git as a user does, with a name that no configuration has to know."""
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    files = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    command = ("git", "-C", str(folder), *who, *files, *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, text: str) -> str:
    """Write a file, commit it, and return the commit."""
    (folder / "file").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", text)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a repository with two commits, the first of which is called v1."""
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "cache")
    folder = tmp_path / "library"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, "one")
    git(folder, "tag", "v1")
    commit(folder, "two")
    return repository_at(folder)


def test_a_range_has_both_ends(repository: Repository) -> None:
    """HEAD stands for an end that is left out, as for git."""
    for text in ("v1..HEAD", "v1.."):
        found = repository.between(text)
        assert found is not None
        assert [one.subject for one in found] == ["one", "two"]


def test_three_dots_mean_where_a_branch_began(repository: Repository) -> None:
    """What main has got since is none of the branch's changes."""
    git(repository.top, "checkout", "-q", "-b", "branch", "v1")
    commit(repository.top, "three")
    found = repository.between("main...branch")
    assert found is not None
    assert [one.subject for one in found] == ["one", "three"]


def test_commits_of_one_second_are_in_their_order(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a rebase are; commits between them are left out."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00+00:00")
    made = [commit(repository.top, text) for text in ("a", "b", "c", "d", "e")]
    wanted = [made[0], made[2], made[4]]
    assert repository.in_order(reversed(wanted)) == wanted
    assert repository.in_order(()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("v1..v2", True), ("main...HEAD", True), ("HEAD~3..", True), ("../other", False),
     ("../../salsa20/ref", False), ("..", False), ("salsa20/ref", False), ("a/../b", False)],
)  # fmt: skip
def test_paths_are_no_ranges(text: str, *, expected: bool) -> None:
    """A folder above is spelled with two dots, too."""
    assert is_range(text) is expected


def test_an_unknown_revision_is_named(repository: Repository) -> None:
    """In a shallow clone the cure is to fetch more."""
    with pytest.raises(UsageError, match="no revision 'v7'") as full:
        repository.revision("v7")
    assert "git tag" in full.value.cure
    near = repository.top.parent / "near"
    git(repository.top, "clone", "-q", "--depth=1", f"file://{repository.top}", str(near))
    with pytest.raises(UsageError) as shallow:
        repository_at(near).revision("HEAD~1")
    assert "--unshallow" in shallow.value.cure


def test_a_work_tree_is_lent_and_removed(repository: Repository) -> None:
    """The user's own tree stays as it is, and its hooks are not run."""
    hook = repository.top / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {repository.top}/ran\n")
    hook.chmod(0o755)
    (repository.top / "file").write_text("changed")
    with checked_out(repository, repository.revision("v1")) as (tree, warnings):
        assert ((tree / "file").read_text(), warnings) == ("one", [])
        assert tree.name == "library"
    assert not tree.parent.exists()
    assert (repository.top / "file").read_text() == "changed"
    assert len(git(repository.top, "worktree", "list").splitlines()) == 1
    assert not (repository.top / "ran").exists()
    assert repository.changed() == ("file",)


def test_submodules_are_checked_out_where_their_commits_are(repository: Repository) -> None:
    """One that was not fetched is left empty, and a warning names it and the cure."""
    inner = repository.top.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    commit(inner, "inside")
    git(repository.top, "submodule", "add", "-q", str(inner), "sub")
    commit(repository.top, "with a submodule")
    with checked_out(repository, repository.revision("HEAD")) as (tree, warnings):
        assert ((tree / "sub/file").read_text(), warnings) == ("inside", [])
    assert len(git(repository.top / "sub", "worktree", "list").splitlines()) == 1
    bare = repository.top.parent / "bare"
    git(repository.top, "clone", "-q", str(repository.top), str(bare))
    other = repository_at(bare)
    with checked_out(other, other.revision("HEAD")) as (tree, warnings):
        assert [text.split(",")[0] for text in warnings] == ["sub"]
        assert "git submodule update --init" in warnings[0]


def test_no_program_is_run_that_a_repository_names(repository: Repository, tmp_path: Path) -> None:
    """A repository that came in an archive has the settings of its author."""
    top, marker = repository.top, tmp_path / "was-run"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    (top / ".gitattributes").write_text("* filter=f\n")
    commit(top, "three")
    settings = {
        "core.fsmonitor": str(program),
        "gpg.program": str(program),
        "log.showSignature": "true",
        "filter.f.smudge": str(program),
        "filter.f.clean": str(program),
        "filter.f.process": str(program),
        "filter.f.required": "true",
    }
    for name, value in settings.items():
        git(top, "config", name, value)
    marker.unlink(missing_ok=True)
    (top / "file").write_text("four")
    assert repository.changed() == ("file",)
    with checked_out(repository, repository.revision("HEAD")) as (tree, _):
        assert (tree / "file").read_text() == "three"
    assert not marker.exists()


def test_what_is_in_no_repository_is_refused(tmp_path: Path) -> None:
    """With the folder's name."""
    with pytest.raises(UsageError, match="no work tree of git"):
        repository_at(tmp_path)


def test_what_is_checked_out_is_read_without_git(tmp_path: Path) -> None:
    """On a branch, packed or not, in a work tree of its own, and above a folder."""
    git(tmp_path, "init", "-q", "a")
    top = tmp_path / "a"
    assert head_of(top) == ""
    (top / "below").mkdir()
    (top / "below" / "file").write_text("text")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "one")
    commit = git(top, "rev-parse", "HEAD").strip()
    assert head_of(top / "below") == commit
    git(top, "pack-refs", "--all")
    assert head_of(top) == commit
    git(top, "worktree", "add", "-q", "--detach", str(tmp_path / "b"))
    assert head_of(tmp_path / "b" / "below") == commit


@pytest.mark.parametrize("said", ["ref: refs/../../secret", "ref: /etc/passwd", "nonsense"])
def test_a_strangers_head_names_no_other_file(tmp_path: Path, said: str) -> None:
    """Whatever is read is a commit, or nothing is known."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "secret").write_text("a" * 40)
    (tmp_path / ".git" / "HEAD").write_text(said)
    assert head_of(tmp_path) == ""
