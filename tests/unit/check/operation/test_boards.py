# SPDX-License-Identifier: MIT
"""Operations that go wrong on boards: each has its verdict, and the next package goes on."""

import re
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.whole.corpus.operations import CORPUS

from assay.check.arena import Arena
from assay.check.depth import Extent
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.operation.routines import OperationUse, fresh, group
from assay.check.operation.session import OperationSession
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentFault, AgentSilent
from assay.execute.jail import strongest_jail
from assay.model import OperationSubject, Package, Target
from assay.package.places import TREE, shipped
from assay.package.supercop.load import load
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for

CHECK, PLACE = "supercop/returns", "crypto_verify/16/ref"
FIRST, LAST = "    int i;\n", "    return (int)(1 & ((difference - 1) >> 8)) - 1;"
SUBJECT = OperationSubject("crypto_verify", "16", "ref", (("BYTES", 16),), ("",), 0)
DEFECTS = [
    pytest.param(one, id=one["name"], marks=[pytest.mark.slow] if one.get("slow") else [])
    for one in tomllib.loads((CORPUS.parent / "boards.toml").read_text())["defect"]
]


def target_named(name: str) -> Target:
    """Return a board that is installed."""
    (target,) = choose([name], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    return target


def recipe_for(tree: Path, target: Target, line: str, *, last: bool = False) -> Recipe:
    """Write the package with a line more, or another one at its end."""
    folder = tree / PLACE
    folder.mkdir(parents=True)
    for path in (shipped() / TREE / PLACE).iterdir():
        text = path.read_text()
        if path.suffix == ".c":
            assert FIRST in text
            assert LAST in text
            old, new = (LAST, line) if last else (FIRST, f"{FIRST}    {line}\n")
            text = text.replace(old, new)
        (folder / path.name).write_text(text)
    package = load(tree, PLACE)
    assert isinstance(package, Package)
    configuration, compiler = target_configuration(target, "-Os", "gcc")
    return Recipe(package, 1, configuration, compiler, target)


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_a_board_is_named(tmp_path: Path, defect: dict[str, str]) -> None:
    """By the check of what functions return, which makes the first calls."""
    target = target_named(defect["target"])
    recipe = recipe_for(tmp_path, target, defect["line"], last=bool(defect.get("last")))
    with open_workshop(strongest_jail(), target=target) as workshop:
        extent = Extent(brief=True, only=(CHECK,))
        found = workshop.patient(recipe).examine(recipe, workshop.build(recipe), extent)
    (result,) = (one for one in found.checks if one.check == CHECK)
    assert result.verdict.value == defect["verdict"]
    assert re.search(defect["says"], result.reason)


def call(workshop: Workshop, recipe: Recipe, seconds: float) -> int:
    """Compare two equal strings in an agent of its own."""
    build = workshop.build(recipe)
    assert build.ok, build.reason
    with workshop.connector(build)() as agent:
        session = OperationSession(agent, SUBJECT)
        session.silence_seconds = seconds
        timed = group(SUBJECT, 0)
        use = OperationUse(SUBJECT, timed, fresh(bytes, timed))
        routine = use.single(use.tasks[0], use.values)
        equal = replace(routine, steps=(replace(routine.steps[0], returns=0),))
        return Arena(session).outcome(equal).results[0]


NEWLIB = """
    int sscanf(const char *, const char *, ...), getchar(void), fflush(void *);
    void *fopen(const char *, const char *), *stdout;
    unsigned value = 0;
    if (sscanf("2a", "%2x", &value) != 1 || value != 42 || fflush(stdout)) return 1;
    if (getchar() != -1 || fopen("x", "w") || fopen("x", "r")) return 1;
"""


def test_newlib_finds_no_system_on_a_board(tmp_path: Path) -> None:
    """Functions on strings work, which share code with its streams; no file, and no exit."""
    target = target_named("qemu-cortex-m4")
    with open_workshop(strongest_jail(), target=target) as workshop:
        assert call(workshop, recipe_for(tmp_path / "newlib", target, NEWLIB), 60.0) == 0
        exits = recipe_for(tmp_path / "exits", target, "void exit(int); exit(0);")
        with pytest.raises(AgentFault, match="SIGILL"):
            call(workshop, exits, 60.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simavr-atmega1281", "qemu-cortex-m4"])
def test_a_board_that_hangs_is_reset_and_the_next_package_goes_on(
    tmp_path: Path, name: str
) -> None:
    """No answer comes of the one, and the right answer of the other."""
    target = target_named(name)
    hanging = recipe_for(tmp_path / "hangs", target, 'for (;;) __asm__ volatile("");')
    sound = recipe_for(tmp_path / "sound", target, "")
    with open_workshop(strongest_jail(), target=target) as workshop:
        with pytest.raises(AgentSilent, match="no answer in time"):
            call(workshop, hanging, 3.0)
        assert call(workshop, sound, 60.0) == 0
