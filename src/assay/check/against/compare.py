# SPDX-License-Identifier: MIT
"""Whether two implementations give the same outputs for the same inputs.

Neither is trusted. What differs is shown with the smallest inputs that still do.
"""

from collections.abc import Iterator
from contextlib import suppress

from assay.check.against.pair import Difference, Pair, ReferenceFailed, Unlike
from assay.check.against.questions import MEGABYTES, MORE_TIME, many_rounds, questions
from assay.check.against.shrink import shrunk
from assay.check.check import Check, CheckFailed, CheckFinding, CheckOpen, CheckSkipped
from assay.execute.agent import AgentRefusal
from assay.model.compared import CONFIGURATIONS, GIVEN, SHIPPED, SIBLINGS, TARGETS

DRAWN = "draw random bytes differently, so their outputs cannot be compared"
OF_THE_OTHER = "Check that package by itself: `assay check` with its name."
DRAWING = (
    "Implementations of a primitive may draw random bytes in another order. "
    "Compare each of them with a file of known answers (--answers)."
)


def compare(pair: Pair) -> str:
    """Ask both sides the same; raise for the smallest question that they answer differently."""
    try:
        for found in differences(pair):
            short = found.question.length < MEGABYTES
            _report(pair, shrunk(pair, found) if short else found)
        _compare_onward(pair)
    except Unlike as unlike:
        raise CheckFailed(str(unlike)) from None
    except ReferenceFailed as failed:
        raise CheckOpen(str(failed), cure=OF_THE_OTHER) from None
    if not pair.asked:
        reason = f"{pair.first.name} and {pair.second.name} take no sizes in common"
        raise CheckOpen(reason, cure="Name an implementation of the same primitive.")
    return f"the same outputs as {pair.second.name} for {pair.asked} uses on random inputs"


def differences(pair: Pair) -> Iterator[Difference]:
    """Yield what two sides answer differently, of lengths first and then of many keys."""
    for group in questions(pair):
        yield from pair.differences(group)
        if pair.over:
            break
    yield from many_rounds(pair)


def _compare_onward(pair: Pair) -> None:
    """Compare further than messages go what can be continued."""
    first, second = pair.first, pair.second
    if not first.trial.goes_on or first.trial.on_board or pair.rounds == 0:
        return
    for side in (first, second):
        side.budget.seconds += MORE_TIME * side.budget.seconds
    with suppress(AgentRefusal), pair.answering():
        names, budgets = (first.name, second.name), (first.budget, second.budget)
        first.trial.compare_onward(second.trial, names, budgets)


def compare_by_the_way(pair: Pair) -> None:
    """Compare where nobody asked: agreement needs no words, and nothing in common is no matter."""
    try:
        compare(pair)
    except CheckOpen as nothing:
        raise CheckSkipped(str(nothing)) from None


def _report(pair: Pair, found: Difference) -> None:
    """Raise what a difference means."""
    names = f"{pair.first.name} and {pair.second.name}"
    if drawn := pair.draws(found):
        reason = f"{names} {DRAWN}"
        raise CheckOpen(reason, found.shown(pair.words) + drawn, DRAWING)
    reason = f"{names} give different outputs for the same inputs; one of them is wrong"
    if pair.refused(found):
        raise CheckFinding(f"a function refuses its call, and {reason}", found.shown(pair.words))
    raise CheckFailed(reason, found.shown(pair.words))


WHY = (
    "Two implementations that were written apart seldom have the same defect. Inputs are "
    "uniform, or runs of equal bytes, where carries and limits show."
)
CURE = (
    "The evidence is the smallest input found that differs: compute it by hand or with a third "
    "implementation, and fix the one that is wrong."
)
AGAINST_GIVEN: Check[Pair] = Check(
    name=GIVEN,
    asks="Are the outputs those of the package named with `--against`?",
    why=WHY,
    cure=CURE,
    run=compare,
)
AGAINST_SIBLINGS: Check[Pair] = Check(
    name=SIBLINGS,
    asks="Are the outputs those of another implementation of the primitive?",
    why=(
        "A primitive of which Assay has no checksums has nothing else to compare with. That "
        "implementations agree does not show that they are right: the comparison stays open."
    ),
    cure=CURE,
    run=compare,
)
AGAINST_SHIPPED: Check[Pair] = Check(
    name=SHIPPED,
    asks="Are the outputs those of the implementation that Assay brings?",
    why=(
        "Vectors have few keys, nonces and lengths. Code that goes another way for some of them "
        "agrees with all vectors, and with itself. Compared are some lengths, and 64 bytes with a "
        "quarter of a million keys, as far as that takes a quarter of a second in each; of stream "
        "ciphers also 16 MiB of keystream and, where a counter of blocks shows in the context, "
        "64 blocks below 4 GiB; with `--deep` there are more."
    ),
    cure=CURE,
    run=compare_by_the_way,
)
_EVERYWHERE = (
    "Undefined behaviour, the size or byte order of a word and branches of the preprocessor give "
    "code two results, of which the wrong one may be the fastest. Where known answers show "
    "one group to be right, the others fail; otherwise all do, since nobody knows which is right."
)
_EVERYWHERE_CURE = (
    "Compare each with known answers (`--answers`), look for undefined behaviour (`--deep` runs "
    "the sanitizers), and for code that depends on word size, byte order or the sign of char."
)


def _by_the_engine(_: Pair) -> None:
    """Check nothing: cells are compared by what they computed, once there are several."""


EVERYWHERE: tuple[Check[Pair], ...] = tuple(
    Check(name=name, asks=asks, why=_EVERYWHERE, cure=_EVERYWHERE_CURE, run=_by_the_engine)
    for name, asks in (
        (CONFIGURATIONS, "Do all configurations of the package give the same outputs?"),
        (TARGETS, "Does the package give the same outputs on all targets?"),
    )
)
COMPARISON = {one.name: one for one in (AGAINST_GIVEN, AGAINST_SIBLINGS, AGAINST_SHIPPED)}
