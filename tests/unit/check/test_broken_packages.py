# SPDX-License-Identifier: MIT
"""Every broken package is caught by the check that is named, and by no other than stated."""

import re
from collections.abc import Callable
from itertools import product

import pytest
from tests.whole.corpus.ciphers import Defect, Workbench

from assay.check import families
from assay.check.stream.kind import CHECKS
from assay.model import CheckResult, Verdict

OF_THE_CODE = ("vectors/", "memory/", "secrets/", "sanitize/", "abi/", "object/")

NAMES = {check.name for check in CHECKS}
DEEP = {
    "calls/processor",
    "lengths/every",
    "lengths/nearly-4-gib",
    "lengths/period",
    "memory/bounds",
    "memory/initialised",
    "sanitize/address",
    "sanitize/undefined",
    "secrets/compilers",
    "secrets/division",
    "secrets/floats",
    "secrets/prefetch",
    "secrets/timing",
    "sanitize/threads",
}
# Checks that are skipped where others have found that nothing can be called any more.
AFTER_FAULTS = {
    "abi/registers", "abi/flags", "abi/upper-halves", "abi/stack", "memory/leak",
    "secrets/compilers",
}  # fmt: skip
LONG = "keystream/2-to-the-32-blocks"  # asked with `--long` alone
SLOW = {
    "sync": {LONG},
    "sync-ae": {LONG},
    "ssyn": {LONG, "lengths/beyond-4-mib"},
    "ssyn-ae": {LONG, "lengths/beyond-4-mib"},
}
WITHOUT_AGENT = {
    "object/calls",
    "object/constructors",
    "object/thread-local",
    "object/names",
    "object/stack",
    "object/text",
}
WITHOUT_MAC = {
    "state/aad-interleaved",
    "mac/forgery",
    "mac/deterministic",
    "mac/ends",
    "mac/pairs",
    "aad/splits",
    "aad/odd-splits",
}
# Asked of packages that allocate, of primitives that a library knows, and of other processors.
OF_OTHERS = {
    *("memory/allocation", "schemes/library", "secrets/multiplication", "state/left-behind")
}
ELSEWHERE = {"secrets/multiplication"}  # test_engines.py finds some on other processors
WITHOUT_KEYSTREAM = {"keystream/carry", "keystream/functions", "lengths/prefix"}
NOT_ASKED = {
    "sync": {*OF_OTHERS, *WITHOUT_MAC, "sync/recovers"},
    "sync-ae": {*OF_OTHERS, *WITHOUT_KEYSTREAM, "sync/recovers"},
    "ssyn": {*OF_OTHERS, *WITHOUT_MAC, *WITHOUT_KEYSTREAM},
    "ssyn-ae": {*OF_OTHERS, *WITHOUT_KEYSTREAM},
}
WHERE_SLOW = {"lengths/beyond-4-mib"}  # whose skipping depends on how busy the machine is
OF_OPERATIONS = {"lengths/null", "schemes/library"}  # whose rows are in operations.toml


def names(results: dict[str, CheckResult], verdict: Verdict) -> set[str]:
    """Name the checks with this verdict."""
    return {name for name, result in results.items() if result.verdict is verdict}


@pytest.mark.parametrize(
    ("base", "thorough"),
    [
        ("sync", True),
        *product(("sync", "sync-ae", "ssyn", "ssyn-ae"), (False,)),
        *(
            pytest.param(one, True, marks=pytest.mark.slow)
            for one in ("sync-ae", "ssyn", "ssyn-ae")
        ),
    ],
)
def test_honest_packages_pass_every_check(workbench: Workbench, base: str, thorough: bool) -> None:
    """The toys themselves fail nothing, are asked all that applies to their API, and no more."""
    results = workbench.examine(base, workbench.package(base), thorough=thorough)
    assert not NOT_ASKED[base] & results.keys()
    skipped = names(results, Verdict.SKIPPED)
    assert skipped >= DEEP
    assert skipped <= DEEP | SLOW[base]  # how slow a toy is depends on the machine
    assert NAMES - NOT_ASKED[base] - skipped == names(results, Verdict.PASS)


@pytest.mark.slow
@pytest.mark.parametrize("base", ["sync", "sync-ae"])
def test_honest_packages_pass_what_takes_long(workbench: Workbench, base: str) -> None:
    """Under valgrind, with sanitizers, and in two threads."""
    package = workbench.package(base)
    results = workbench.examine(base, package, thorough=False, deep=True, only=OF_THE_CODE)
    assert names(results, Verdict.FAIL) == set()
    assert DEEP - {
        "calls/processor",
        "lengths/every",
        "lengths/nearly-4-gib",
        "lengths/period",
    } <= names(results, Verdict.PASS)


@pytest.mark.slow
@pytest.mark.parametrize("base", ["sync", "sync-ae"])
def test_honest_streams_go_on_rightly_for_4_gigabytes(workbench: Workbench, base: str) -> None:
    """Where the machine is too busy to make so much in time, the checks say so."""
    package, only = workbench.package(base), ("lengths/period", "lengths/nearly-4-gib")
    results = workbench.examine(base, package, thorough=False, deep=True, only=only, options="-O3")
    assert names(results, Verdict.FAIL) == set()
    assert set(only) <= set(results)


def test_broken_packages_fail_the_named_checks_and_no_others(
    workbench: Workbench, need: Callable[[str], None], broken: Defect
) -> None:
    """The sets of failing and of skipped checks are what the corpus says; some `may` fail, too."""
    need(broken.needs)
    package = workbench.package(broken.base, broken.name, broken.edits)
    results = workbench.examine(
        broken.base,
        package,
        thorough=broken.thorough,
        patience_seconds=broken.patience_seconds,
        deep=broken.deep,
        only=broken.asks,
        options=broken.options,
    )
    failed = names(results, Verdict.FAIL)
    assert broken.fails <= failed <= broken.fails | broken.may
    noted = names(results, Verdict.FINDING)
    assert broken.notes == noted
    answered = failed | noted
    assert all(one.reason and one.cure for one in results.values() if one.check in answered)
    if caught_by := broken.caught or broken.noted:
        caught = results[caught_by]
        assert re.search(broken.says, f"{caught.reason}\n{caught.evidence}", re.DOTALL)
    expected = NOT_ASKED[broken.base] | SLOW[broken.base] | (set() if broken.deep else DEEP)
    skipped = names(results, Verdict.SKIPPED) - expected - (AFTER_FAULTS - broken.skipped)
    assert all(results[name].reason for name in skipped)
    everything_else = NAMES - answered - {"api/sizes"} - expected - AFTER_FAULTS - WITHOUT_AGENT
    wanted = everything_else if "*" in broken.skipped else broken.skipped
    assert wanted - WHERE_SLOW <= skipped <= wanted | WHERE_SLOW
    if broken.right:
        right = workbench.examine(
            broken.base, package, thorough=True, only=("vectors/",), options=broken.right
        )
        assert names(right, Verdict.FAIL) == set()


def test_a_macro_of_an_old_skeleton_does_not_keep_keystream_from_being_asked(
    workbench: Workbench,
) -> None:
    """It names a function that the API does not have; the original never expanded it."""
    declared = "void ECRYPT_keystream_blocks(ECRYPT_ctx *ctx, u8 *out, u32 blocks);"
    macro = (
        "#define ECRYPT_USES_DEFAULT_BLOCK_MACROS\n"
        "#define ECRYPT_keystream_blocks(c, o, n) ECRYPT_AE_keystream_bytes(c, o, 16 * (n))"
    )
    edits = (
        ("ecrypt-sync.h", declared, macro),
        ("toy.c", "void ECRYPT_keystream_blocks(", "static void whole_blocks("),
        ("toy.c", "    ECRYPT_keystream_blocks(ctx", "    whole_blocks(ctx"),
    )
    package = workbench.package("sync", "keystream-misnamed", edits)
    assert "quirk/keystream-misnamed" in {quirk.name for quirk in package.quirks}
    results = workbench.examine("sync", package, thorough=False, only=("keystream/",))
    assert "keystream/functions" in names(results, Verdict.PASS)


def test_packages_that_do_not_build_get_a_reason_and_a_cure(
    workbench: Workbench, unbuildable: Defect
) -> None:
    """The reason says what the author did, in the words of the HOWTO."""
    package = workbench.package(unbuildable.base, unbuildable.name, unbuildable.edits)
    build = workbench.build(package)
    assert not build.ok
    assert unbuildable.reason in build.reason
    assert build.cure


def test_every_check_has_caught_a_broken_package(corpus: list[Defect]) -> None:
    """There is no check that has never been seen to fail.

    test_families.py has the shared ones, and test_long_streams.py what takes hours.
    """
    caught = {defect.caught or defect.noted for defect in corpus} - {""}
    shared = {check.name for check in families.CHECKS}
    assert caught - shared == NAMES - shared - {LONG} - OF_OPERATIONS - ELSEWHERE
