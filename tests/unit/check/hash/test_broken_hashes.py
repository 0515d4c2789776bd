# SPDX-License-Identifier: MIT
"""Every broken hash is caught by the check that is named, and by no other than stated."""

import re

import pytest
from tests.whole.corpus.hashes import RULES, Defect, ToyBench

from assay.check import families
from assay.model import CheckResult, Verdict
from assay.targets.catalogue import native

NOTED = {"instructions/mips-i", "digest/refused-sizes"}  # a remark, and a finding
REFUSES = "{\n    for (; databitlen", "{\n    if (%s)\n        return FAIL;\n    for (; databitlen"
REFUSES_BITS = REFUSES[0], REFUSES[1] % "databitlen % 8"
REFUSES_PIECES = REFUSES[0], REFUSES[1] % "databitlen && state->h != 0x243F6A88"
HERE = "(unsigned)(__SIZE_TYPE__)state"
TIED = [
    ("    state->rest = state->bits = 0;", f"    state->rest = {HERE};\n    state->bits = 0;"),
    (
        "{\n    for (; databitlen",
        f"{{\n    state->h ^= state->rest ^ {HERE};\n    for (; databitlen",
    ),
    ("(state->rest | mark)", "((state->bits ? state->rest : 0) | mark)"),
]
DEEP = ("memory/", "secrets/", "sanitize/")
NOT_ASKED = {"lengths/beyond-4-gib"}  # it hashes 12 GiB
OF_OTHERS = {  # whose rows are in defects.toml and operations.toml: the same code asks all kinds
    "abi/modes", "abi/upper-halves", "calls/processor", "calls/surroundings",
    "entropy/own-bytes", "lengths/every",
    "memory/allocation",
    "memory/bounds", "memory/stack-need", "object/thread-local",
    "schemes/library", "secrets/compilers", "secrets/floats", "secrets/multiplication",
    "secrets/prefetch",
}  # fmt: skip


def names(results: dict[str, CheckResult], verdict: Verdict) -> set[str]:
    """Name the checks with this verdict."""
    return {name for name, result in results.items() if result.verdict is verdict}


def test_honest_toys_fail_nothing(toybench: ToyBench, toy: str) -> None:
    """On no architecture, and every check that is skipped says why."""
    results = toybench.examine(toybench.package(toy, f"honest-{toy}"), toy, ("",))
    assert names(results, Verdict.FAIL) == set()
    assert all(results[name].reason for name in names(results, Verdict.SKIPPED))
    own = {"digest/results", "digest/partial-bytes"} if toy == "nist" else {"object/globals"}
    assert {"header/prototypes", "lengths/splits", *own} <= names(results, Verdict.PASS)
    assert ("header/names" in results) == (toy != "nist")


def test_the_honest_toy_fails_nothing_with_tcc(toybench: ToyBench) -> None:
    """It has other options than gcc, and constants in sections that can be written to."""
    results = toybench.examine_with_tcc(toybench.package("c", "honest-for-tcc"))
    assert names(results, Verdict.FAIL) == set()
    assert "header/prototypes" in names(results, Verdict.PASS)


def test_wrong_declarations_are_found_with_tcc(toybench: ToyBench) -> None:
    """Though it does not know the strictest option."""
    edits = [("unsigned out_size", "unsigned long out_size")]
    package = toybench.package("c", "declares-for-tcc", edits, header=True, source=True)
    results = toybench.examine_with_tcc(package)
    assert "header/prototypes" in names(results, Verdict.FAIL)


def test_the_honest_toy_fails_nothing_that_takes_long(toybench: ToyBench) -> None:
    """Under valgrind, with sanitizers, and in two threads."""
    package = toybench.package("c", "honest-for-long")
    results = toybench.examine(package, "c", DEEP, deep=True)
    assert names(results, Verdict.FAIL) == set()
    assert {"memory/initialised", "sanitize/address", "sanitize/threads"} <= names(
        results, Verdict.PASS
    )


def test_broken_hashes_fail_the_named_checks_and_no_others(
    toybench: ToyBench, defect: Defect
) -> None:
    """The set of failing checks is what the corpus says."""
    package = toybench.package(
        defect.base, defect.name, defect.edits, header=defect.header, goals=defect.goals
    )
    asked = defect.asks or (("",) if defect.everything else RULES)
    results = toybench.examine(
        package, defect.base, asked, target_name=defect.target, deep=defect.deep
    )
    failed = names(results, Verdict.FAIL)
    assert defect.fails <= failed
    assert "*" in defect.may or failed <= defect.fails | defect.may
    told = results[defect.caught or defect.noted]
    assert told.cure or not defect.caught
    assert re.search(defect.says, f"{told.reason}\n{told.evidence}", re.DOTALL)
    assert defect.caught or told.verdict in {Verdict.SKIPPED, Verdict.FINDING}


def test_every_check_has_caught_a_broken_hash(
    every_check: set[str], defects: list[Defect]
) -> None:
    """There is no check that has never been seen to fail; test_families.py has the shared ones."""
    failed = {name for one in defects for name in one.fails}
    shared = {check.name for check in families.CHECKS}
    assert every_check - shared - NOTED - NOT_ASKED - OF_OTHERS <= failed
    assert {one.noted for one in defects if one.noted} == NOTED


@pytest.mark.parametrize(
    ("edits", "check", "says"),
    [
        ([REFUSES_BITS], "digest/partial-bytes", "must be whole bytes"),
        ([REFUSES_PIECES], "lengths/splits", "refuses its call, so .* give another result"),
        (TIED, "context/copied", "does not promise that a context may be copied"),
    ],
)
def test_what_the_sha3_api_leaves_open_is_a_finding(
    toybench: ToyBench, edits: list[tuple[str, str]], check: str, says: str
) -> None:
    """Code that says what it cannot do, or lacks what its API does not promise, does not fail."""
    package = toybench.package("nist", f"open-{check.replace('/', '-')}", edits, bits=False)
    results = toybench.examine(package, "nist", (check,))
    assert results[check].verdict is Verdict.FINDING
    assert re.search(says, results[check].reason)


def test_code_that_is_slow_is_not_asked_for_a_digest_of_eight_gib(toybench: ToyBench) -> None:
    """It would not answer in time, which is no defect."""
    loop = "for (volatile int i = 0; i < 200; i++)\n            ;"
    slow = [("data++);", f"data++), __extension__({{ {loop} 0; }});")]
    package = toybench.package("nist", "slow", slow)
    check = "lengths/beyond-4-gib"
    results = toybench.examine(package, "nist", (check,), deep=True)
    assert results[check].verdict is Verdict.SKIPPED
    assert "the code is slow" in results[check].reason


def test_annex_a_looks_at_code_for_its_own_instruction_set(toybench: ToyBench) -> None:
    """Campaigns compile for this processor, too, where a rotation is an instruction of BMI2."""
    if native().architecture != "amd64":
        pytest.skip("needs an amd64 machine")
    package = toybench.package("c", "for-a-newer-processor")
    checks = ("build/", "instructions/set")
    results = toybench.examine(package, "c", checks, arch="-mbmi2 -mavx2")
    assert results["instructions/set"].verdict is Verdict.PASS
