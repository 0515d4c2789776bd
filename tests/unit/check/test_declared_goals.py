# SPDX-License-Identifier: MIT
"""What is said of a declared goal: it is examined to the end, or it is not a pass."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.bench import Bench
from assay.check.check import run_checks
from assay.check.depth import Depth, Extent
from assay.check.memory.valgrind import checks
from assay.check.trial import AnyTrial
from assay.compile.visible import Visible
from assay.errors import MachineError
from assay.execute.agent import AgentFault, AgentLost
from assay.execute.valgrind import MOST_PLACES, Complaint
from assay.model import CheckResult, Package, Target, Verdict, overall

GOALS = frozenset({"constbranch", "constindex"})
LEAK = Complaint("Conditional jump", True, True, ("karatsuba (gf2x.c:64)",))
UNWRITTEN = Complaint("Use of a value", False, True, ("pad (hash.c:3)",))
NAMES = ("secrets/timing", "secrets/division", "memory/initialised")
Verdicts = dict[str, CheckResult]


def verdicts(
    *complaints: Complaint,
    ends: Exception | None = None,
    goals: frozenset[str] = GOALS,
    deep: bool = True,
    valgrind: bool = True,
    architecture: str = "amd64",
) -> Verdicts:
    """Ask the checks of a package of which valgrind complains so, and then ends so."""

    def examine(_: object, __: object, visible: Visible, found: list[Complaint]) -> None:
        found += [] if visible else complaints
        if ends:
            raise ends

    def nobody() -> NoReturn:
        raise AssertionError("no agent is needed")

    launched = (lambda *_, **__: None) if valgrind else None
    target = stand_in(Target, architecture=architecture)
    bench = stand_in(Bench, valgrind=launched, other_recipes=tuple, target=target)
    package = stand_in(Package, goals=goals)
    extent = Extent(Depth.DEEP if deep else Depth.FULL)
    trial = AnyTrial(package, None, nobody, bench=bench, extent=extent)
    return {one.check: one for one in run_checks(checks(examine), trial)}


def test_a_package_without_complaints_passes() -> None:
    """All three are asked, the division on x86-64."""
    found = verdicts()
    assert found["secrets/timing"].verdict is Verdict.PASS
    assert found["memory/initialised"].verdict is Verdict.PASS


ENDS: tuple[Callable[[], Exception], ...] = (
    lambda: AgentLost("the agent ended"),
    lambda: AgentFault("crypto_kem", "SIGILL"),
    lambda: MachineError("valgrind is not installed", "apt-get install valgrind"),
)


@pytest.mark.parametrize("ends", ENDS)
def test_a_declared_goal_that_could_not_be_examined_is_open(
    ends: Callable[[], Exception],
) -> None:
    """Whatever kept valgrind from it: nothing failed, and it is no pass."""
    found = verdicts(ends=ends())
    for name in ("secrets/timing", "secrets/division"):
        assert found[name].verdict is Verdict.OPEN
        assert "declared constbranch and constindex not examined" in found[name].reason
        assert found[name].cure
    assert overall(one.verdict for one in found.values()) is Verdict.OPEN


def test_without_valgrind_for_the_target_declared_goals_are_open() -> None:
    """The code is right there; that its time depends on no secret nobody has seen."""
    found = verdicts(valgrind=False)
    assert found["secrets/timing"].verdict is Verdict.OPEN
    assert "without --target" in found["secrets/timing"].cure


def test_no_goal_is_open_for_multiplications_which_are_asked_of_on_few_processors() -> None:
    """Goal files say nothing of them; on an ARM7TDMI, small numbers take less time."""
    name = "secrets/multiplication"
    assert name not in verdicts()
    assert verdicts(valgrind=False, architecture="arm-le")[name].verdict is Verdict.SKIPPED
    assert verdicts(goals=frozenset(), architecture="arm-le")[name].verdict is Verdict.SKIPPED


def test_the_cure_for_a_missing_valgrind_is_the_command_that_installs_it() -> None:
    """Where no goal is declared, too: then the question is skipped, and the reason has it."""
    missing = MachineError("valgrind is not installed", "apt-get install valgrind")
    assert verdicts(ends=missing)["secrets/timing"].cure == "apt-get install valgrind"
    skipped = verdicts(ends=missing, goals=frozenset())["memory/initialised"]
    assert (skipped.verdict, skipped.reason) == (
        Verdict.SKIPPED,
        "valgrind is not installed (apt-get install valgrind)",
    )


def test_a_leak_that_was_seen_before_valgrind_ended_is_a_failure() -> None:
    """A package with so many leaks that the report is cut off is not acquitted by that."""
    found = verdicts(LEAK, UNWRITTEN, ends=AgentLost("the agent ended"))
    assert found["secrets/timing"].verdict is Verdict.FAIL
    assert found["secrets/division"].verdict is Verdict.OPEN
    assert found["memory/initialised"].verdict is Verdict.FAIL


@pytest.mark.parametrize("deep", [True, False])
def test_without_a_goal_nothing_is_open(deep: bool) -> None:
    """Many a cipher looks things up in tables by design, and does not promise otherwise."""
    found = verdicts(goals=frozenset(), ends=AgentLost("the agent ended"), deep=deep)
    assert {one.verdict for one in found.values()} == {Verdict.SKIPPED}


def test_without_a_goal_a_dependence_on_secrets_is_a_finding() -> None:
    """It breaks no promise, and whoever uses the code may want to know."""
    found = verdicts(LEAK, goals=frozenset())
    assert found["secrets/timing"].verdict is Verdict.FINDING
    assert "no goal is declared" in found["secrets/timing"].reason
    assert verdicts(goals=frozenset())["secrets/timing"].verdict is Verdict.PASS


def test_a_goal_that_nobody_asked_for_is_skipped_with_the_option_that_asks() -> None:
    """Without --deep."""
    assert all("--deep" in one.reason for one in verdicts(deep=False).values())


def test_every_place_of_a_leak_is_in_the_evidence() -> None:
    """What the compiler added may be the last of many that are known."""
    places = [
        Complaint("Conditional jump", True, True, (f"f{n} (a.c:{n})", "main (a.c:1)"))
        for n in range(60)
    ]
    found = verdicts(*places)["secrets/timing"]
    assert "in f0 (a.c:0) and 59 more places" in found.reason
    assert all(one.where[0] in found.evidence for one in places)
    assert "the list ends" not in found.evidence


def test_a_list_of_places_that_was_cut_off_says_so() -> None:
    """Nobody shall take a thousand places for all of them."""
    places = [Complaint("Jump", True, True, (f"f{n}",)) for n in range(MOST_PLACES)]
    evidence = verdicts(*places)["secrets/timing"].evidence
    assert evidence.endswith(f"the list ends after {MOST_PLACES} places")
