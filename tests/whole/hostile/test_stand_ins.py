# SPDX-License-Identifier: MIT
"""A copy of a rival's source with something added: its file is never taken for the rival's."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.objects import Json
from tests.whole.hostile.attacks import HONEST, Attack, all_attacks
from tests.whole.hostile.conftest import Range
from tests.whole.hostile.outside import Outside
from tests.whole.hostile.tree import HONEST_NAMES, Tree

from assay.campaign.run import agents_folder
from assay.compile.builder import Builder
from assay.compile.layouts import layouts
from assay.model import Build
from assay.package.estream import load_estream

MARK = b"carried-by-the-copy-only"
COPIES = tuple(one for one in all_attacks() if one.name.startswith("copy-of-a-rival"))
VICTIM = HONEST_NAMES[0]


@pytest.fixture
def agents(tmp_path: Path, grounds: Range) -> Builder:
    """Give a builder as a campaign has it: one folder for all packages."""
    return Builder(tmp_path / "agents", grounds.jail)


@dataclass(frozen=True)
class Pair:
    """The rival's build and that of a copy, made in this order in one folder."""

    rival: Build
    copy: Build
    linked: tuple[Path, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """Give all that the rival's checks and launches use."""
        return (*_files(self.rival), *self.linked)


def _files(build: Build) -> tuple[Path, ...]:
    assert build.agent is not None, build.reason
    return (build.agent, *build.objects)


@pytest.fixture(params=COPIES, ids=lambda one: one.name)
def pair(
    request: pytest.FixtureRequest,
    agents: Builder,
    grounds: Range,
    around: Outside,
    tmp_path: Path,
) -> Pair:
    """Build the rival, then a copy, then the rival's layouts, as a campaign does."""
    attack: Attack = request.param
    attack.write(tmp_path / attack.name, around)
    honest = grounds.recipe(load_estream(HONEST, place="submissions/rival/ref"))
    hostile = load_estream(tmp_path / attack.name, place=f"submissions/{attack.name}/ref")
    rival, copy = agents.build(honest), agents.build(grounds.recipe(hostile))
    assert rival.ok, rival.reason
    assert copy.ok, copy.reason
    return Pair(rival, copy, layouts(honest, rival, grounds.jail, 3))


def test_a_copy_with_something_added_is_another_machine_code(pair: Pair) -> None:
    """Whatever the section is called, and where it is only a symbol that is added."""
    assert pair.rival.object_hash != pair.copy.object_hash


def test_no_file_of_the_rival_is_the_copys(pair: Pair) -> None:
    """The copy is built last, and the rival's layouts are linked after it."""
    assert len(pair.linked) == 3
    assert not {*pair.files} & {*_files(pair.copy)}
    assert [path.name for path in pair.files if MARK in path.read_bytes()] == []
    assert all(MARK in path.read_bytes() for path in pair.copy.objects)


def test_a_file_that_was_exchanged_is_not_linked(pair: Pair, grounds: Range) -> None:
    """What is measured is what was checked: other bytes under the old name give no layout."""
    honest = grounds.recipe(load_estream(HONEST, place="submissions/rival/ref"))
    for path in pair.linked:
        path.unlink()
    pair.rival.objects[0].write_bytes(pair.copy.objects[0].read_bytes())
    assert layouts(honest, pair.rival, grounds.jail, 3) == ()


def test_the_same_package_at_two_places_shares_no_file(agents: Builder, grounds: Range) -> None:
    """What one of them throws away, the other one still has."""
    one, other = (
        agents.build(grounds.recipe(load_estream(HONEST, place=f"submissions/{name}/ref")))
        for name in HONEST_NAMES
    )
    assert one.object_hash == other.object_hash
    assert not {*_files(one)} & {*_files(other)}


def _cells(tree: Tree, results: Path) -> dict[str, Json]:
    return {one["package"].split("/")[0]: one for one in tree.shown(results)}


@pytest.mark.slow
@pytest.mark.usefixtures("unharmed")
def test_launches_of_a_campaign_are_of_the_rivals_own_file(
    tree: Tree, around: Outside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A campaign with copies of a package: nothing that is linked for it has anything of theirs.

    Its figures are its own then, whatever the copies do while they are timed.
    """
    source = (tree.root / "submissions" / VICTIM / "ref" / "toy.c").read_text()
    for attack in COPIES:
        tree.add(attack, around)
        planted = tree.root / "submissions" / attack.name / "ref" / "toy.c"
        added = planted.read_text().removesuffix((HONEST / "toy.c").read_text())
        planted.write_text(added + source)
    done = tree.run(tmp_path / "results")
    assert "Traceback" not in done.stderr
    cells = _cells(tree, tmp_path / "results")
    assert all(cells[name]["rows"] for name in HONEST_NAMES), done.stderr
    assert not {cells[name]["state"] for name in HONEST_NAMES} & {"fail", "broken"}
    mine = cells[VICTIM]["object_hash"]
    assert mine not in {cells[attack.name]["object_hash"] for attack in COPIES}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tree.cache))
    files = list(agents_folder(tmp_path / "results").iterdir())
    linked = [path for path in files if re.match(rf"{mine}-.*(layout\d)?$", path.name)]
    assert len(linked) == 1 + 3, [path.name for path in files]
    assert [path.name for path in linked if MARK in path.read_bytes()] == []
