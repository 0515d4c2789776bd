# SPDX-License-Identifier: MIT
"""Commands in a results folder in which a stranger has planted links at every name they make."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.campaign.conftest import QUICK, ROOT, Tree, planted

from assay.store import FILE_NAME

OPERATION = "submissions/supercop/crypto_verify/16"
SIDES = ("rc4/ref@gcc_default_O1", "rc4/ref@gcc_default_O2")
# In this order: each finds what those before it have left.
COMMANDS = {
    "run": ("run", *QUICK, "rc4/ref"),
    "contest": ("run", "--launches", "1", "--samples", "1", "--best", "1", "crypto_verify/16/ref"),
    "show": ("show",),
    "compare": ("compare", *SIDES, "--output", "html:compared.html"),
    "export": ("export", "--supercop", "-o", "lines.gz"),
    "archive": ("collect", "--archive", "-o", "all.tar.gz"),
    "collect": ("collect", "--no-update"),
}


def listed(folder: Path) -> dict[str, str]:
    """Return all that is below a folder, with what it holds or leads to; no link is followed."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink():
                text = f"-> {path.readlink()}"
            elif path.is_dir():
                text = "folder"
            else:
                text = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path.relative_to(folder))] = text
    return found


@dataclass(frozen=True)
class Step:
    """A command, a copy of the folder as it finds it, and what it makes there."""

    words: tuple[str, ...]
    before: Path
    files: tuple[str, ...]
    folders: tuple[str, ...]


@dataclass(frozen=True)
class Steps:
    """All commands, done once in a clean folder of a tree."""

    tree: Tree
    all: dict[str, Step]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Steps]:
    """Do every command in a clean folder, and learn the names from that."""
    base = tmp_path_factory.mktemp("clean")
    with planted(base, cache) as tree:
        shutil.copytree(ROOT / OPERATION, tree.root / OPERATION)
        tree.results.mkdir()
        found = {}
        for name, words in COMMANDS.items():
            before = base / f"before-{name}"
            shutil.copytree(tree.results, before)
            done = tree.assay(*words)
            assert done.returncode in (0, 3), done.stderr
            was, now = listed(before), listed(tree.results)
            new = sorted(one for one, text in now.items() if was.get(one) != text)
            folders = tuple(one for one in new if now[one] == "folder")
            files = tuple(one for one in new if one not in folders)
            found[name] = Step(words, before, files, folders)
        yield Steps(tree, found)


@dataclass(frozen=True)
class Trap:
    """A copy of the folder for links, and what they lead to."""

    folder: Path
    outside: Path

    def plant(self, name: str, *, folder: bool) -> None:
        """Put a link where a command will make a file or folder."""
        to = self.outside / hashlib.sha256(name.encode()).hexdigest()
        if folder:
            (to / "below").mkdir(parents=True)
            (to / "index.html").write_text("mine")
        elif len(name) % 4:  # others dangle: a new file would be made where they lead
            to.write_text("mine")
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(to)


def trap(step: Step, tmp_path: Path, number: int = 0) -> Trap:
    """Make a trap for one command."""
    made = Trap(tmp_path / f"results-{number}", tmp_path / f"outside-{number}")
    shutil.copytree(step.before, made.folder)
    made.outside.mkdir()
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_links_at_the_names_of_files_are_not_followed(
    steps: Steps, tmp_path: Path, name: str
) -> None:
    """What they lead to stays, whatever becomes of the command."""
    step = steps.all[name]
    made = trap(step, tmp_path)
    for one in step.files:
        if one != FILE_NAME:  # it is opened first, and a link refused: below
            made.plant(one, folder=False)
    before = listed(made.outside)
    done = steps.tree.assay(*step.words, cwd=made.folder)
    assert listed(made.outside) == before
    assert done.returncode in (0, 2, 3)


def test_a_first_collect_replaces_the_links_by_its_pages(steps: Steps, tmp_path: Path) -> None:
    """It needs no help of the user's."""
    step = steps.all["collect"]
    made = trap(step, tmp_path)
    assert "index.html" in step.files
    for one in step.files:
        made.plant(one, folder=False)
    assert steps.tree.assay(*step.words, cwd=made.folder).returncode == 0
    found = listed(made.folder)
    assert [one for one in step.files if found[one].startswith("->")] == []


@pytest.mark.parametrize(
    "name", [pytest.param("run", marks=pytest.mark.slow), *list(COMMANDS)[1:]]
)
def test_links_at_the_names_of_folders_are_not_followed(
    steps: Steps, tmp_path: Path, name: str
) -> None:
    """Each is refused by its name, and nothing is made where it leads."""
    step = steps.all[name]
    for number, one in enumerate(step.folders):
        made = trap(step, tmp_path, number)
        made.plant(one, folder=True)
        before = listed(made.outside)
        done = steps.tree.assay(*step.words, cwd=made.folder)
        assert listed(made.outside) == before, one
        assert (done.returncode, "link" in done.stderr) == (2, True), (one, done.stderr)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_link_in_place_of_the_results_is_refused(
    steps: Steps, tmp_path: Path, name: str
) -> None:
    """By every command; the file that it leads to is not read."""
    step = steps.all[name]
    made = trap(step, tmp_path)
    to = made.outside / FILE_NAME
    shutil.copyfile(steps.tree.results / FILE_NAME, to)
    (made.folder / FILE_NAME).unlink(missing_ok=True)
    (made.folder / FILE_NAME).symlink_to(to)
    before = listed(made.outside)
    done = steps.tree.assay(*step.words, cwd=made.folder)
    assert listed(made.outside) == before
    assert (done.returncode, "link" in done.stderr) == (2, True), done.stderr
