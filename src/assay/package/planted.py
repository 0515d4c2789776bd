# SPDX-License-Identifier: MIT
"""Leaks that are planted: an engine that misses one, or finds one in honest code, is not asked."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from assay.model import CheckResult, Package, Verdict
from assay.model.secrets import LEFT_BEHIND, MULTIPLICATION, Leak, leaks, unexamined
from assay.package.resolve import resolve

FOLDER = Path(__file__).parents[1] / "harness" / "planted" / "leaks"
PLANTED = (
    "planted_address",
    "planted_branch",
    "planted_compare",
    "planted_bound",
    "planted_memcmp",
    "planted_division",
)
# Planted only for processors that have the kind: an AVR reads tables in flash by instructions of
# their own, shifts in loops, and has no conditional moves, so the compiler makes a branch.
PLANTED_THERE = MappingProxyType(
    {"avr8": ("planted_choice", "planted_flash", "planted_shift")},
)
LEAKING, HONEST = 1, 2  # the variants of the package


def planted_package() -> Package:
    """Load the package with the planted leaks."""
    (found,) = resolve((str(FOLDER),), FOLDER.parent)
    assert isinstance(found, Package)  # noqa: S101 - it comes with Assay
    return found


def is_planted(package: Package) -> bool:
    """Return whether it is the package with the planted leaks."""
    return package.root == FOLDER


def misses(checks: Mapping[int, Iterable[CheckResult]], architecture: str = "") -> str:
    """Return what an engine got wrong, from the verdicts on each variant; empty if nothing.

    On some architectures more is planted than everywhere.
    """
    given = {variant: tuple(each) for variant, each in checks.items()}
    if why := unexamined(given[LEAKING]) or unexamined(given[HONEST]):
        return why
    every = (leak for one in given[LEAKING] for leak in leaks(one))
    found = {name.partition(".")[0] for leak in every for name in leak.functions}
    wanted = (*PLANTED, *PLANTED_THERE.get(architecture, ()))
    missed = [name for name in wanted if name not in found]
    if missed:
        return f"the engine does not find {missed[0]}, which leaks, so it is not believed"
    if unseen := [one for one in given[LEAKING] if one.check == MULTIPLICATION and _passed(one)]:
        return f"the engine does not find {unseen[0].check} in {PLANTED[-1]}: it is not believed"
    if wrong := [leak for one in given[HONEST] for leak in _of_time(one)]:
        return f"the engine finds a leak in {wrong[0].place}, which is honest: it is not believed"
    return ""


def _passed(check: CheckResult) -> bool:
    return check.verdict is Verdict.PASS


def _of_time(check: CheckResult) -> Iterator[Leak]:
    """Yield what leaks by the time everywhere.

    Honest code may leave something behind, and multiplies where the other divides.
    """
    return leaks(check) if check.check not in {LEFT_BEHIND, MULTIPLICATION} else iter(())
