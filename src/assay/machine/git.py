# SPDX-License-Identifier: MIT
"""Repositories of git: revisions, and work trees of them in the user's cache.

The user's own work tree stays as it is. Hooks, filters and other programs that the repository's
settings name are not run.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import AssayError, UsageError
from assay.machine.cache import cache_folder
from assay.machine.git_settings import environment

SHORT = 10  # digits of a commit in names
_SECONDS = 600
_RANGE = re.compile(r"(?P<first>.*?[^./])(?P<dots>\.{2,3})(?P<second>[^./].*)?")
_LINK = "160000"
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_LONGEST = 4096  # bytes that are read of a file that has one line
_ABSENT = "Fetch the rest of the history (`git fetch --unshallow`), or name a later revision."


class Revision(Struct, frozen=True):
    """A commit of a repository, and how the user called it."""

    name: str
    commit: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        """Return what stands for the commit in names of packages."""
        return self.commit[:SHORT]

    @property
    def text(self) -> str:
        """Return the name, with the commit unless that is the name."""
        return self.name if self.commit.startswith(self.name) else f"{self.name} ({self.short})"


class Repository(Struct, frozen=True):
    """A repository of git by the root of its work tree."""

    top: Path

    def git(self, *arguments: str) -> str:
        """Return what a command of git prints; UsageError with git's own words if it fails."""
        return git(self.top, *arguments)

    @property
    def shallow(self) -> bool:
        """Return whether older commits were not fetched."""
        return self.git("rev-parse", "--is-shallow-repository").strip() == "true"

    def changed(self) -> tuple[str, ...]:
        """Return the files that differ from the last commit, those that are not tracked apart."""
        said = self.git("status", "--porcelain", "--untracked-files=no", "--ignore-submodules")
        return tuple(line[3:] for line in said.splitlines())

    def revision(self, name: str) -> Revision:
        """Return the commit that a name means; UsageError if there is none."""
        try:
            if not name or name.startswith("-"):
                raise UsageError("no name")
            wanted = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            commit = self.git("rev-parse", *wanted).split()[0]
            said = self.git("log", "-1", "--format=%cI%n%s", commit)
        except (UsageError, IndexError):
            cure = _ABSENT if self.shallow else "`git log --oneline` and `git tag` list some."
            raise UsageError(f"there is no revision {name!a} in {self.top}", cure) from None
        date, _, subject = said.partition("\n")
        return Revision(name, commit, date, subject.strip())

    def in_order(self, commits: Iterable[str]) -> list[str]:
        """Return commits from the oldest on: none before its parents, else by their dates.

        Those of one rebase have one date.
        """
        wanted = frozenset(commits)
        if not wanted:
            return []
        listed = self.git("rev-list", "--date-order", "--reverse", *sorted(wanted)).split()
        return [one for one in listed if one in wanted]

    def between(self, text: str) -> tuple[Revision, Revision] | None:
        """Return both ends of `A..B`; of `A...B` the first is where B left A. None for others."""
        found = _RANGE.fullmatch(text)
        if found is None:
            return None
        first, second = self.revision(found["first"]), self.revision(found["second"] or "HEAD")
        if found["dots"] == "...":
            first = self._forked(first, second)
        if first.commit == second.commit:
            raise UsageError(
                f"{text} is one commit, {first.short}",
                "Name two that differ; `git stash create` makes one of what is not committed.",
            )
        return first, second

    def _forked(self, first: Revision, second: Revision) -> Revision:
        try:
            base = self.git("merge-base", first.commit, second.commit).strip()
        except UsageError:
            cure = _ABSENT if self.shallow else "Write .. between them."
            raise UsageError(
                f"{first.text} and {second.text} have no commit in common", cure
            ) from None
        return replace(self.revision(base), name=f"{first.name}, where {second.name} left it")


def git(folder: Path, *arguments: str) -> str:
    """Return what a command of git prints in a folder; UsageError if it fails."""
    command = ("git", "-C", str(folder), *arguments)
    try:
        variables = environment(folder, os.environ)
        done = subprocess.run(
            command, capture_output=True, timeout=_SECONDS, env=variables, check=False
        )
    except FileNotFoundError:
        raise UsageError("git is not installed", "Install it: `apt install git`.") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git {arguments[0]} did not end in {_SECONDS} s", "Try it.") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise UsageError(f"git {arguments[0]} in {folder}: {said}", "Try the same by hand.")
    return done.stdout.decode("utf-8", "replace")


def head_of(folder: Path) -> str:
    """Return the commit that is checked out around a folder; empty where that is not known.

    It is read and git is not called: the configuration of a stranger's repository names programs.
    """
    with suppress(OSError, ValueError):
        for place in (folder.resolve(), *folder.resolve().parents):
            found = place / ".git"
            if found.is_file():  # of a work tree
                found = place / _word(found).removeprefix("gitdir: ")
            if (found / "HEAD").is_file():
                commit = _resolved(found, _word(found / "HEAD"))
                return commit if _COMMIT.fullmatch(commit) else ""
    return ""


def _word(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(_LONGEST).decode().strip()


def _resolved(place: Path, said: str) -> str:
    """Return the commit that HEAD says, by itself or by the name of a branch."""
    name = said.removeprefix("ref: ")
    if name == said or ".." in name or not name.startswith("refs/"):
        return said
    common = place / "commondir"
    shared = place / _word(common) if common.is_file() else place
    if (shared / name).is_file():
        return _word(shared / name)
    lines = (shared / "packed-refs").read_text("utf-8", "replace").splitlines()
    return next((line[: -len(name) - 1] for line in lines if line.endswith(f" {name}")), "")


def is_range(text: str) -> bool:
    """Return whether a text is spelled as two revisions."""
    return not Path(text).exists() and _RANGE.fullmatch(text) is not None


def repository_at(folder: Path) -> Repository:
    """Return the repository that a folder belongs to; UsageError if it is in none."""
    there = next(one for one in (folder, *folder.parents) if one.is_dir())
    try:
        return Repository(Path(git(there, "rev-parse", "--show-toplevel").rstrip("\n")).resolve())
    except UsageError as error:
        if "git is not" in str(error):
            raise
        raise UsageError(
            f"{folder} is in no work tree of git", "Name a package in a clone of its repository."
        ) from None


@contextmanager
def checked_out(repository: Repository, revision: Revision) -> Iterator[tuple[Path, list[str]]]:
    """Lend a work tree of a commit in the cache, and warnings about submodules.

    It is removed afterwards; what a killed call left behind is removed by the next.
    """
    folder = cache_folder() / "revisions"
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    own = Path(tempfile.mkdtemp(prefix=f"{revision.short}-{os.getpid()}-", dir=folder))
    tree = own / repository.top.name  # packages are named by the folders above them
    warnings: list[str] = []
    made: list[tuple[Path, Path]] = []
    try:
        _add(repository.top, revision.commit, tree, made, warnings)
        yield tree, warnings
    finally:
        for top, place in reversed(made):
            with suppress(AssayError):
                git(top, "worktree", "remove", "--force", "--force", str(place))
        shutil.rmtree(own, ignore_errors=True)
        with suppress(AssayError):
            repository.git("worktree", "prune")


def _add(
    top: Path, commit: str, tree: Path, made: list[tuple[Path, Path]], warnings: list[str]
) -> None:
    """Check out a commit, and its submodules where the user's clone has their commits."""
    made.append((top, tree))
    git(top, "worktree", "add", "--detach", "--force", str(tree), commit)
    if not (tree / ".gitmodules").is_file():
        return
    for line in git(top, "ls-tree", "-r", commit).splitlines():
        mode, _, rest = line.partition(" ")
        if mode != _LINK:
            continue
        wanted, _, path = rest.removeprefix("commit ").partition("\t")
        try:
            if not (top / path / ".git").exists():
                raise UsageError("it is not checked out")
            with suppress(OSError):
                (tree / path).rmdir()
            _add(top / path, wanted, tree / path, made, warnings)
        except AssayError:
            made[:] = [one for one in made if one[1] != tree / path]
            warnings.append(
                f"{path}, a submodule, lacks commit {wanted[:SHORT]} and is left empty: "
                "`git submodule update --init` fetches it"
            )


def _sweep(folder: Path) -> None:
    """Remove the trees of processes that are gone."""
    for entry in os.scandir(folder):
        found = re.fullmatch(r"[0-9a-f]+-(\d+)-\w+", entry.name)
        if found and not Path("/proc", found[1]).exists():
            shutil.rmtree(entry.path, ignore_errors=True)
