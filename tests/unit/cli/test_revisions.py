# SPDX-License-Identifier: MIT
"""Two commits of a package side by side: what fails now, what was fixed, what is refused."""

import json
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling
from tests.unit.machine.test_git import git

from assay.errors import UsageError
from assay.machine.git import checked_out
from assay.plan.revisions import locate

ROOT = Path(__file__).parents[3]
RIGHT, WRONG = "0x428a2f98", "0x428a2f99"


@pytest.fixture
def assay(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line in a library with SHA-256, which v1 has right.

    v2 has it under another name, v3 has it wrong, and HEAD says nothing new.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    library = tmp_path / "sha256"
    place = library / "old"
    shutil.copytree(ROOT / "submissions/supercop/crypto_hash/sha256/small", place)
    git(library, "init", "-q")
    _commit(library, "v1")
    place = place.rename(library / "ref")
    _commit(library, "v2")
    source = place / "hash.c"
    source.write_text(source.read_text().replace(RIGHT, WRONG))
    _commit(library, "v3")
    (library / "README").write_text("text")
    _commit(library, "v4")
    monkeypatch.chdir(library)
    return calling(monkeypatch, capsys)


def _commit(folder: Path, tag: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", tag)
    git(folder, "tag", tag)


def test_a_new_failure_is_named_though_the_package_was_renamed(assay: Assay) -> None:
    """The exit code says it, and so does JSON; the other way round it was fixed."""
    done = assay("compare", "v1..v3", "ref", "--format", "json")
    assert done.code == 1, done.err
    said = json.loads(done.out)
    assert said["verdicts"] == ["pass", "fail"]
    assert "checksum/small" in [one["check"] for one in said["new_failures"]]
    back = assay("compare", "v3..v1", "ref")
    assert back.code == 0, back.err
    assert "fixed: checksum/small" in back.out
    assert "Not measured: v3" in back.out


def test_a_threshold_that_was_not_asked_about_is_no_success(assay: Assay) -> None:
    """What was wrong is wrong still, and nothing is measured."""
    source = Path("ref/hash.c")
    source.write_text(f"{source.read_text()}/* more */\n")
    _commit(Path(), "v5")
    done = assay("compare", "v4..v5", "ref", "--threshold", "2")
    assert (done.code, "fails as before: checksum/small" in done.out) == (3, True), done.out


@pytest.mark.usefixtures("assay")
def test_a_package_that_was_the_whole_repository_is_found() -> None:
    """Before it was moved into a folder; and errors name no tree of the cache."""
    for file in Path("ref").iterdir():
        file.rename(file.name)
    _commit(Path(), "v5")
    Path("ref").mkdir(exist_ok=True)
    for name in ("api.h", "hash.c"):
        Path(name).rename(f"ref/{name}")
    _commit(Path(), "v6")
    located = locate("ref", Path())
    ends = located.repository.between("v5..v6")
    assert ends is not None
    with checked_out(located.repository, ends[0]) as (tree, _):
        assert located.at(tree, ends[0], ends[1:]).root == tree
        Path(tree / "hash.c").unlink()
        Path(tree / "api.h").unlink()
        with pytest.raises(UsageError) as refused:
            locate(".", Path()).at(tree, ends[0])
    assert str(refused.value).startswith(f"in {ends[0].text}, there is no package in {Path.cwd()}")


def test_two_versions_that_do_not_build_are_no_success(assay: Assay) -> None:
    """As without the submodules that they need."""
    source = Path("ref/hash.c")
    text = source.read_text()
    for tag in ("v5", "v6"):
        source.write_text(f"{text}#error {tag}\n")
        _commit(Path(), tag)
    done = assay("compare", "v5..v6", "ref")
    assert (done.code, "fails as before: build/compiles" in done.out) == (3, True), done.out


def test_a_package_of_which_no_file_changed_is_not_built(assay: Assay) -> None:
    """What is changed and not committed is left out, and a line says so."""
    Path("README").write_text("changed")
    done = assay("compare", "ref", "--against", "v3")
    assert done.code == 0, done.err
    assert "No file of ref differs" in done.out
    assert "README: changes are not committed" in done.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("v1..v9", "ref"), "there is no revision 'v9'"),
        (("v1..v1", "ref"), "is one commit"),
        (("v1..v1", "ref"), "`git stash create` makes one of what is not committed"),
        (("v1..v2", "nothing"), "nothing is not in v1"),
        (("v1..v2",), "two revisions are compared of one package"),
        (("ref",), "compared with nothing"),
        (("ref", "--against", "v1", "--measure"), "do not go together"),
    ],
)
def test_what_means_no_two_revisions_is_refused(
    assay: Assay, arguments: tuple[str, ...], reason: str
) -> None:
    """Each with a clear line, before anything is built."""
    done = assay("compare", *arguments)
    assert done.code == 2
    assert reason in done.err


def test_a_commit_is_named_since_which_a_check_fails(assay: Assay) -> None:
    """Commits with the same files have one answer; those that do not build are skipped."""
    source = Path("ref/hash.c")
    broken = source.read_text()
    source.write_text("#error\n")
    _commit(Path(), "v5")
    source.write_text(broken)
    _commit(Path(), "v6")
    done = assay("bisect", "v1..v6", "ref", "--check", "checksum/small")
    assert done.code == 0, done.err
    assert f"{git(Path(), 'rev-parse', 'v3')} is the first bad commit." in done.out
    assert len(git(Path(), "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("v1..v2", "ref"), "needs --check NAME or --slower P%"),
        (("v1..v2", "ref", "--slower", "much"), "--slower"),
        (("v1..v9", "ref", "--check", "checksum/small"), "there is no revision 'v9'"),
    ],
)
def test_what_cannot_be_bisected_is_refused(
    assay: Assay, arguments: tuple[str, ...], reason: str
) -> None:
    """Before anything is built."""
    done = assay("bisect", *arguments)
    assert (done.code, reason in done.err) == (2, True), done.err
