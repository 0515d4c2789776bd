# SPDX-License-Identifier: MIT
"""Whether two implementations give the same outputs for the same inputs.

Neither is trusted. What differs is shown with the smallest inputs that still do. Lengths come
first, then bytes: as many as possible become zeros. What is smaller and does not differ is
dropped, as is what faults.

A wrapper of `init`, `update` and `final` cuts messages where a macro asks for it: that is built
as another package, and asked the same. The pieces follow from the message, by the arithmetic of
`harness/supercop/include/assay_pieces.h`, so that they can be named.
"""

import time
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.against.questions import MEGABYTES, MORE_TIME, many_rounds, questions
from assay.check.against.side import SEED, Difference, Pair, RandomInputs, ReferenceFailed, Unlike
from assay.check.check import Check, CheckFailed, CheckFinding, CheckOpen, CheckSkipped
from assay.check.routine import Pieces, said
from assay.execute.agent import AgentError, AgentRefusal
from assay.execute.patience import OutOfPatience
from assay.model.compared import CONFIGURATIONS, GIVEN, SHIPPED, SIBLINGS, TARGETS

MOST_TRIES = 3000
MOST_SECONDS = 30.0  # by the clock
ALL_LENGTHS = 80  # shorter ones are tried one by one

DRAWN = "draw random bytes differently, so their outputs cannot be compared"
OF_THE_OTHER = "Check that package by itself: `assay check` with its name."
DRAWING = (
    "Implementations of a primitive may draw random bytes in another order. "
    "Compare each of them with a file of known answers (--answers)."
)

WORDS = ("in one call", "in pieces")
MESSAGE = ("in", "m")  # what hashes and MACs call it
BELOW = (1, 2, 8, 17, 65, 130, 300)


class Shrinking(Struct):
    """The smallest difference so far, and how often something smaller may still be tried."""

    pair: Pair
    best: Difference
    left: int = MOST_TRIES
    until: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)

    @property
    def question(self) -> RandomInputs:
        """The question that is made smaller."""
        return self.best.question

    def takes(self, smaller: RandomInputs) -> bool:
        """Try a smaller question, and keep it if the answers still differ."""
        if self.left == 0 or smaller == self.question or time.monotonic() > self.until:
            return False
        self.left -= 1
        try:
            found = self.pair.difference(smaller)
        except OutOfPatience:
            self.left = 0
            return False
        except (AgentError, ReferenceFailed):
            return False
        except CheckSkipped:  # one of them hangs too often
            self.left = 0
            return False
        if found is not None:
            self.best = found
        return found is not None


def shrunk(pair: Pair, found: Difference) -> Difference:
    """Return the smallest difference found."""
    shrinking = Shrinking(pair, found)
    before = None
    while before != shrinking.question:
        before = shrinking.question
        _number(shrinking, "length")
        _number(shrinking, "second")
        _bytes(shrinking)
    return shrinking.best


def _number(shrinking: Shrinking, name: str) -> None:
    """Make one length smaller: by halves, then to every smaller one if they are few."""

    def now() -> int:
        return int(getattr(shrinking.question, name))

    step = now()
    while step:
        if step > now() or not any(map(shrinking.takes, _shorter(shrinking.question, name, step))):
            step //= 2
    for less in range(now(), 0, -1) if now() <= ALL_LENGTHS else ():
        if any(map(shrinking.takes, _shorter(shrinking.question, name, less))):
            return


def _shorter(question: RandomInputs, name: str, less: int) -> Iterator[RandomInputs]:
    """Yield the question with so many bytes less at the end, and with as many less in front."""
    length = getattr(question, name)
    shorter = replace(question, **{name: length - less})
    yield shorter
    for number, drawn in enumerate(question.drawn):
        if len(drawn) >= length:
            yield shorter.with_part(number, drawn[less:])


def _bytes(shrinking: Shrinking) -> None:
    """Set bytes of every draw, and of the randomness, to zero: all, then parts, then each."""
    for number in (*range(len(shrinking.question.drawn)), SEED):
        size = len(shrinking.question.part(number))
        while size:
            for start in range(0, len(shrinking.question.part(number)), size):
                now = shrinking.question.part(number)
                zeros = bytes(len(now[start : start + size]))
                smaller = now[:start] + zeros + now[start + size :]
                shrinking.takes(shrinking.question.with_part(number, smaller))
            size //= 2


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


def cut(message: bytes) -> Pieces:
    """Return the lengths of the pieces in which a wrapper gives a message to `update`."""
    state = 0x11C9DC5
    for byte in message[:4096]:
        state = (state ^ byte) * 0x1000193 & 0xFFFFFFFF
    left, pieces = len(message), []
    while left or state >> 31:
        state = (state * 0x19660D + 0x3C6EF35F) & 0xFFFFFFFF
        kind = state >> 13 & 7
        piece = left if kind == len(BELOW) else min((state >> 16) % BELOW[kind], left)
        pieces.append(piece)
        left -= piece
    return tuple(pieces)


def compare_pieces(pair: Pair) -> str:
    """Ask both builds of a package the same; raise for the smallest message that differs."""
    try:
        for found in differences(pair):
            _report_pieces(shrunk(pair, found))
    except ReferenceFailed as failed:
        raise CheckFailed(str(failed)) from None
    if not pair.asked:
        raise CheckOpen("no message was asked for", cure="Report it: this is Assay's fault.")
    return f"the same for {pair.asked} messages in pieces as in one call"


def _report_pieces(found: Difference) -> None:
    variables = found.first.routine.variables
    message = next((variables[one].value for one in MESSAGE if one in variables), None) or b""
    pieces = said(cut(message)) or "no call"
    reason = f"{len(message)} bytes as {pieces} give another result than in one call"
    raise CheckFailed(reason, found.shown(WORDS))


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


# The engine compares cells by what they computed, once there are several.
EVERYWHERE: tuple[Check[Pair], ...] = tuple(
    Check(name=name, asks=asks, why=_EVERYWHERE, cure=_EVERYWHERE_CURE, run=lambda _: None)
    for name, asks in (
        (CONFIGURATIONS, "Do all configurations of the package give the same outputs?"),
        (TARGETS, "Does the package give the same outputs on all targets?"),
    )
)
COMPARISON = {one.name: one for one in (AGAINST_GIVEN, AGAINST_SIBLINGS, AGAINST_SHIPPED)}
