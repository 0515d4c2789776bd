# SPDX-License-Identifier: MIT
"""The checks of secrets, and those that run under valgrind, the same for every kind.

A kind brings what is used there, and which bytes are secret. A package promises by the files
`goal-constbranch` and `goal-constindex`, as in SUPERCOP, that its time depends on public
data only. For one without them a dependence is a finding: many a cipher looks things up in
tables by design. A branch need not be in the source: another compiler, or another level, may make
one.
"""

import time
from collections.abc import Collection, Iterator
from functools import partial
from platform import machine
from typing import Any, TypeVar

from msgspec import Struct

from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckOpen,
    CheckSkipped,
    sharing,
)
from assay.check.memory.passes import (
    INITIALISED,
    Complaints,
    Examine,
    ask,
    examined_by,
    how_varied,
)
from assay.check.trial import BaseTrial
from assay.compile.visible import Visible
from assay.execute.valgrind import MOST_PLACES, Complaint
from assay.model.secrets import SHOWN
from assay.targets.architectures import of_machine

NO_GOAL = (
    "no goal is declared; to have it examined, create the empty files goal-constbranch and "
    "goal-constindex in the package"
)

SMALL = "_Os"  # configurations that make small code
SECONDS = 120.0  # for all of them, by the clock: valgrind takes fifty times as long as the code

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
REWRITTEN = ("x86_64",)
SAME_TIME = "its multiplication takes the same time whatever its operands, as far as is known"
ONLY_THERE = "the assembler's input is rewritten on x86-64 only"
BREAKS_NOTHING = "no goal is declared, so it breaks no promise"


def promised(trial: BaseTrial[Any, Any]) -> str:
    """Name the goals that the package declares."""
    return " and ".join(sorted(trial.package.goals))


def declared(trial: BaseTrial[Any, Any]) -> str:
    """Return what a reason ends with where goals are declared."""
    return f"; declared is {promised(trial)}" if trial.package.goals else ""


def decided(
    trial: BaseTrial[Any, Any], examined: Complaints, *, goals_say_so: bool = True
) -> None:
    """Raise CheckOpen where a declared goal was not examined to the end; CheckSkipped for none."""
    if examined.problem and trial.package.goals and goals_say_so:
        said = f"declared {promised(trial)} not examined: {examined.problem}"
        raise CheckOpen(said, cure=examined.cure)
    if examined.problem:
        raise CheckSkipped(f"{examined.problem} ({examined.cure})")


def places(found: list[Complaint]) -> str:
    """Name the first place, and count the others."""
    first = found[0].where[0] if found[0].where else "the package"
    more = len(found) - 1
    return f"{first} and {more} more place{'s' * (more > 1)}" if more else first


def evidence(found: list[Complaint]) -> str:
    """List all places; say where the list was cut off."""
    lines = [line for one in found for line in _lines(one)]
    cut = [f"the list ends after {MOST_PLACES} places"] if len(found) >= MOST_PLACES else []
    return "\n".join([*lines, *cut])


def _lines(one: Complaint) -> Iterator[str]:
    yield one.what
    yield from (f"    {place}" for place in one.where)
    if one.instruction:
        yield f"{SHOWN}{one.instruction}"


def _run_compilers(trial: TrialT, examine: Examine[TrialT]) -> str:
    """Fail where the code of another compiler or level depends on a secret."""
    if not trial.package.goals:
        raise CheckSkipped(NO_GOAL)
    mine = ask(trial, examine)
    if any(one.secret for one in mine.complaints):
        raise CheckSkipped("this code does not keep what it declares (secrets/timing)")
    others = trial.bench.other_recipes() if trial.bench else ()
    left, began = {one.configuration.name: "" for one in others}, time.monotonic()
    for recipe in others:
        if time.monotonic() - began > SECONDS:
            break
        examined = examined_by(trial, examine, recipe)
        found = [one for one in examined.complaints if one.secret]
        if found:
            raise CheckFailed(
                f"{found[0].what.lower()}, and it is secret, in {places(found)}, compiled by "
                f"{recipe.configuration.name}; declared is {promised(trial)}",
                evidence(found),
            )
        left[recipe.configuration.name] = examined.problem
        if not examined.problem:
            del left[recipe.configuration.name]
    if not left:
        return ""
    said = (f"{name} ({why})" if why else name for name, why in left.items())
    return f"not examined: {', '.join(said)}"


class Rewritten(Struct, frozen=True):
    """A check of what memcheck takes no notice of, and the assembler makes visible to it."""

    visible: Visible
    check: str
    what: str
    asks: str
    why: str
    cure: str
    forbidden: bool = True
    somewhere: bool = False  # on the processors that `early` names alone


REWRITES = (
    Rewritten(
        Visible.DIVISIONS,
        "secrets/division",
        what="a division has a secret operand",
        asks="Is no secret an operand of a division, as the goal files declare?",
        why=(
            "On many processors the time of a division depends on its operands (KyberSlash). "
            "With -Os gcc divides by constants, for which it multiplies at other levels: where "
            "goals are declared that code is looked at, too."
        ),
        cure="Multiply by the inverse and shift; or remove the goal files.",
    ),
    Rewritten(
        Visible.MULTIPLICATIONS,
        "secrets/multiplication",
        what="a multiplication has a secret operand",
        asks="Is no secret an operand of a multiplication that ends early for small numbers?",
        why=(
            "A Cortex-M3, an ARM7TDMI and a PowerPC 603e multiply small numbers faster. The goal "
            "files are about branches and indices and do not forbid it, so it is a finding."
        ),
        cure=(
            "Multiply in a way that takes the same time there (bearssl.org/ctmul.html); or see "
            "to it that operands have a top bit that is set, and say so."
        ),
        forbidden=False,
        somewhere=True,
    ),
    Rewritten(
        Visible.PREFETCHES,
        "secrets/prefetch",
        what="a prefetch has a secret address",
        asks="Does no address of a prefetch depend on a secret, as the goal files declare?",
        why="A prefetch changes the caches as a load does, and tells others what was looked up.",
        cure="Prefetch the whole table, or nothing; or remove the goal files.",
    ),
    Rewritten(
        Visible.FLOATS,
        "secrets/floats",
        what="a floating-point operation has a secret operand",
        asks="Does no floating-point operation take a secret operand?",
        why=(
            "On many processors denormal numbers, zeros and divisions take another time than "
            "other numbers. The goal files do not forbid it, so it is a finding."
        ),
        cure="Use integers; or see to it that no operand can be denormal, and say so.",
        forbidden=False,
    ),
)


def checks(examine: Examine[TrialT]) -> tuple[Check[TrialT], ...]:
    """Return the checks of a kind; `examine` says what valgrind complains of."""
    rewritten = tuple(_rewritten(examine, one) for one in REWRITES)
    compilers = Check(
        name="secrets/compilers",
        asks="Is that so in the code of every compiler that is here, at every level?",
        why=(
            "A compiler can turn a mask into a branch, at one level only, and another compiler "
            "another mask."
        ),
        cure=(
            "Hide from the compiler that the mask has two values only (an empty asm statement, "
            "crypto_int64.h of SUPERCOP), and look at the code again."
        ),
        run=partial(_run_compilers, examine=examine),
    )
    last = (compilers, _initialised(examine), _bounds(examine))
    return sharing("memcheck", (_timing(examine), *rewritten, *last))


def _timing(examine: Examine[TrialT]) -> Check[TrialT]:
    def run(trial: TrialT) -> str:
        """Fail where a branch or an address depends on what is secret."""
        examined = ask(trial, examine)
        found = [one for one in examined.complaints if one.secret]
        if found:
            raise CheckFailed(
                f"{found[0].what.lower()}, and it is secret, in {places(found)}" + declared(trial),
                evidence(found),
            )
        decided(trial, examined)
        return how_varied(trial)

    return Check(
        name="secrets/timing",
        asks="Do branches and addresses depend only on public data, as the goal files declare?",
        why=(
            "Otherwise timing reveals secrets: caches and branch predictors show which path "
            "was taken. Without goal files it is a finding."
        ),
        cure=(
            "Replace the branch by masks and the table by computation; declassify public "
            "data with crypto_declassify (SUPERCOP API); or remove the goal files."
        ),
        run=run,
        excuse=_excuse,
    )


def _excuse(trial: BaseTrial[Any, Any]) -> str:
    """Return why a leak breaks no promise; nothing if it does."""
    return "" if trial.package.goals else BREAKS_NOTHING


def _rewritten(examine: Examine[TrialT], how: Rewritten) -> Check[TrialT]:
    def run(trial: TrialT) -> None:
        """Fail where an instruction of the kind has a secret operand."""
        core = of_machine(trial.bench.target.architecture).early if trial.bench else ""
        if how.somewhere and not core:
            raise CheckInapplicable(SAME_TIME)
        if not (trial.package.goals or trial.extent.undeclared):
            raise CheckSkipped(NO_GOAL)
        plain = ask(trial, examine)
        if trial.bench and trial.bench.valgrind and machine() not in REWRITTEN:
            plain = Complaints((), ONLY_THERE, "Check it on an x86-64 machine.")
        decided(trial, plain, goals_say_so=not how.somewhere)
        examined = ask(trial, examine, how.visible)
        known = {one.where for one in plain.complaints}
        found = [one for one in examined.complaints if one.secret and _shows(one, how, known)]
        if found:
            error = CheckFailed if how.forbidden else CheckFinding
            on = f", which takes longer for large ones on {core}," if how.somewhere else ""
            raise error(f"{how.what}{on} in {places(found)}{declared(trial)}", evidence(found))
        decided(trial, examined, goals_say_so=not how.somewhere)
        if how.visible is Visible.DIVISIONS and trial.package.goals:
            _require_none_in_small_code(trial, examine, how)

    return Check(how.check, how.asks, how.why, how.cure, run, excuse=_excuse)


def _require_none_in_small_code(trial: TrialT, examine: Examine[TrialT], how: Rewritten) -> None:
    """Fail where a compiler that saves bytes divides by a constant, which others multiply for."""
    others = trial.bench.other_recipes() if trial.bench else ()
    for recipe in (one for one in others if one.configuration.name.endswith(SMALL)):
        complaints = examined_by(trial, examine, recipe, how.visible).complaints
        found = [
            one for one in complaints if one.secret and how.visible.complains(one.instruction)
        ]
        if found:
            raise CheckFailed(
                f"{how.what} in {places(found)}, compiled by {recipe.configuration.name}"
                f"{declared(trial)}",
                evidence(found),
            )


def _shows(one: Complaint, how: Rewritten, known: Collection[tuple[str, ...]]) -> bool:
    """Return whether a complaint is of what was made visible, and not of the code's own."""
    if one.instruction:
        return how.visible.complains(one.instruction)
    return one.where not in known


def _initialised(examine: Examine[TrialT]) -> Check[TrialT]:
    def run(trial: TrialT) -> None:
        """Fail where code depends on memory that nobody wrote."""
        examined = ask(trial, examine)
        found = [one for one in examined.complaints if not one.secret and not one.beyond]
        _report(examined, found)

    return Check(
        name=INITIALISED,
        asks="Are results independent of uninitialised memory?",
        why="Such code works until a compiler or a caller leaves other values there.",
        cure="Initialise the variable that valgrind's report names.",
        run=run,
    )


def _report(examined: Complaints, found: list[Complaint], where: str = "") -> None:
    """Raise CheckFailed for what was found; CheckSkipped if it could not be looked for."""
    if found:
        reason = f"{found[0].what.lower()}{where} in {places(found)}"
        raise CheckFailed(reason, evidence(found))
    if examined.problem:
        raise CheckSkipped(f"{examined.problem} ({examined.cure})")


def _bounds(examine: Examine[TrialT]) -> Check[TrialT]:
    def run(trial: TrialT) -> None:
        """Fail for accesses beyond a buffer, as `sanitize/address` does for C; writes first."""
        examined = ask(trial, examine)
        beyond = [one for one in examined.complaints if one.beyond]
        found = sorted(beyond, key=lambda one: not one.writes)
        _report(examined, found, ", outside of all buffers,")

    return Check(
        name="memory/bounds",
        asks="Does no access go beyond a buffer, even where the memory around it is there?",
        why=(
            "An inaccessible page stands behind a buffer in buffers/guard, and a pattern around "
            "it: code that looks whether a page ends there, or puts the byte back, escapes both, "
            "and spoils what a neighbour in another thread writes. What is read there may be "
            "another's secret, or no memory. Aligned words and vectors of which a part lies in "
            "the buffer may be read: they cross no page, and assembly does so by intention."
        ),
        cure="Process the last, incomplete block from a copy of it.",
        run=run,
    )
