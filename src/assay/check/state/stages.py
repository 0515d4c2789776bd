# SPDX-License-Identifier: MIT
"""Messages in several calls, with a context between them that is copied, moved, or put anywhere.

A context is plain memory: it goes on as before wherever it lies, at every address that its type
allows. And a message depends on its context alone: neither on what that held before, nor on inputs
that were taken and then erased, nor on messages that other contexts process at the same time.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from assay.check.arena import ROOM, Arena, BufferShape, PendingOutcome, Placement, ordinary
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import EqualPairs, side_by_side
from assay.check.routine import Routine, Step, Variable, symbol
from assay.check.trial import AnyTrial
from assay.check.uses import named
from assay.model.api import Promise, Role

SECONDS = 2.4
GARBAGE = 0xD5
STOPS = (1, 63, 64, 65, 127, 128, 199, 200)  # where a message of a hash is interrupted
UNITS = (3,)  # the same in units, where pieces are whole blocks
REST = 3

WIDEST = 32
OTHERS = bytes(range(255, -1, -1))


def staged(trial: AnyTrial) -> Iterator[Routine]:
    """Yield messages whose steps have contexts between them; CheckInapplicable if none has."""
    unit, found = trial.unit, False
    stops = STOPS if unit == 1 else (*(unit * one for one in UNITS), 5 * unit + REST)
    if trial.stretch:
        stops = (trial.stretch // 2 // unit * unit, trial.stretch)
    pieces = tuple(b - a for a, b in zip((0, *stops), stops, strict=False))
    for splitter in trial.splitters(stops[-1]):
        routine = splitter.cut(pieces)
        if context_of(routine):
            found = True
            yield routine
    if not found:
        raise CheckInapplicable("there is no context")


def context_of(routine: Routine) -> str:
    """Name the variable that keeps the state between calls; nothing if there is none."""
    return next(iter(routine.having(Role.STATE)), "")


def elsewhere(_: str, variable: Variable) -> BufferShape:
    """Put contexts at addresses that are no multiple of more than their type wants."""
    if variable.role is not Role.STATE:
        return ordinary("", variable)
    step = variable.modulus
    return BufferShape(variable.size + ROOM, max(2 * step, 32), step)


class MessageStage(Struct, frozen=True):
    """A routine that stops after so many steps, on its arena, with another arena beside it."""

    routine: Routine
    done: int
    here: Arena
    there: Arena

    @property
    def after(self) -> str:
        """The function that was called last."""
        return self.routine.steps[self.done - 1].function

    def reach(self) -> None:
        """Do the steps until here, and copy the context and the output so far to there.

        There it takes the place of another message's, all bytes of which are others.
        """
        another, done = self.routine, self.routine.steps[: self.done]
        for name in self.routine.inputs:
            another = another.given(name, another.value(name).translate(OTHERS))
        self.here.use(replace(self.routine, steps=done))
        self.there.use(replace(another, steps=done))
        self.there.fill(self.routine)
        for name in (context_of(self.routine), *self.routine.outputs):
            self.here.session.agent.copy_bytes(self.there.buffers[name], self.here.buffers[name])


Question = Callable[[MessageStage, PendingOutcome, EqualPairs], None]


def ask_at_every_stage(trial: AnyTrial, question: Question) -> str:
    """Ask a question at every stage of messages."""
    budget = trial.budget(SECONDS)
    for routine in staged(trial):
        with side_by_side(trial, elsewhere) as (here, there, pairs):
            for done in budget.each(here.session, range(1, len(routine.steps))):
                stage, expected = MessageStage(routine, done, here, there), here.begin(routine)
                stage.reach()
                question(stage, expected, pairs)
                pairs.judge()
    return budget.remark()


def _copy(stage: MessageStage, expected: PendingOutcome, pairs: EqualPairs) -> None:
    """Let the copy of a context go on first, and the original after it."""
    routine = stage.routine
    for name, arena in (("the copy", stage.there), ("the original", stage.here)):
        arena.go(routine.steps[stage.done :])
        complaint = f"copied after {stage.after}, {name} of the context continues differently"
        pairs.expect(complaint, expected, arena.taken(routine))


def _move(stage: MessageStage, expected: PendingOutcome, pairs: EqualPairs) -> None:
    """Leave garbage where the context was, and let its copy go on."""
    routine = stage.routine
    stage.here.session.agent.fill(stage.here.buffers[context_of(routine)], GARBAGE)
    stage.there.go(routine.steps[stage.done :])
    complaint = f"moved after {stage.after}, the context continues differently"
    pairs.expect(complaint, expected, stage.there.taken(routine))


COPIED: Check[AnyTrial] = Check(
    name="context/copied",
    asks="Does a copy of a context continue like the original, and the original like the copy?",
    why=(
        "Programs copy contexts to use one key schedule for many messages, or to have the hash of "
        "the input so far. The APIs have no copy function, so memcpy must be enough."
    ),
    cure="Keep offsets instead of pointers in the context, and no state outside it.",
    run=partial(ask_at_every_stage, question=_copy),
    excuse=lambda trial: trial.excuse(Promise.COPIES),
)
MOVED: Check[AnyTrial] = Check(
    name="context/moved",
    asks="Does a context still work after it is moved, to any address that its type allows?",
    why=(
        "Arrays of contexts grow and are sorted. A pointer to the old address then leads to "
        "other data."
    ),
    cure="Keep offsets instead of pointers in the context.",
    run=partial(ask_at_every_stage, question=_move),
    excuse=lambda trial: trial.excuse(Promise.COPIES),
)


def residue(offset: int) -> Placement:
    """Put contexts so many bytes off a multiple of `WIDEST`."""

    def place(name: str, variable: Variable) -> BufferShape:
        if variable.role is not Role.STATE:
            return ordinary(name, variable)
        return BufferShape(variable.size + ROOM, max(WIDEST, variable.modulus), offset)

    return place


def anywhere(trial: AnyTrial) -> None:
    """Put the context at every address that its type allows."""
    for routine in staged(trial):
        step = routine.variables[context_of(routine)].modulus
        with side_by_side(trial) as (arena, moved, pairs):
            expected = arena.begin(routine)
            for offset in range(0, max(WIDEST, step), step):
                moved.place = residue(offset)
                complaint = f"a context {offset} bytes off an address divisible by {WIDEST} gives "
                complaint += "another result"
                pairs.expect(complaint, expected, moved.begin(routine))


ALIGNMENT: Check[AnyTrial] = Check(
    name="context/alignment",
    asks="May the context have every alignment that its type allows?",
    why=(
        "Assembly often assumes more than the header promises. It then works until a "
        "structure around the context changes."
    ),
    cure=(
        "Rely only on the alignment of the declared fields, or declare fields with a larger one."
    ),
    run=anywhere,
)


FILLINGS = (0x00, 0xFF, 0xA5)
SHORT = (0, 64)  # bytes: padding alone, and whole blocks
FEW = 6  # uses

AT_ONCE = 3
CROWD, CROWD_BYTES = 300, 1 << 22  # contexts: more than a byte counts
CROWD_SECONDS, BEGUN = 0.05, 2  # steps: the key and the IV are loaded
BUFFERS = 12  # of one message, at most


def garbage(trial: AnyTrial) -> None:
    """Fill the context with anything before the first call."""
    messages, batch = tuple(staged(trial)), () if trial.stretch else trial.last_use(SHORT)
    short = [one for one in batch if context_of(one)]  # they fill no buffer in the context
    for routine in (*messages, *short[:: max(1, len(short) // FEW)]):
        context = context_of(routine)
        size = routine.variables[context].size
        with side_by_side(trial) as (arena, _, pairs):
            expected = arena.begin(routine)
            for value in (*(bytes([one]) * size for one in FILLINGS), trial.bytes(size)):
                arena.put(context, value)
                complaint = "the result depends on what the context held before "
                complaint += routine.steps[0].function
                pairs.expect(complaint, expected, arena.begin(routine))


GARBAGE_BEFORE: Check[AnyTrial] = Check(
    name="context/garbage",
    asks="Does a message begin well whatever the context held before?",
    why="Contexts often lie on a stack that other code has used.",
    cure="Set every field when a key is loaded or a message begins.",
    run=garbage,
)


def erased(trial: AnyTrial) -> None:
    """Erase each input after its last use."""
    for routine in staged(trial):
        with side_by_side(trial) as (arena, _, pairs):
            expected = arena.begin(routine)
            for name, done in _last_uses(routine):
                value = routine.value(name)
                arena.ready(routine)
                arena.go(routine.steps[:done])
                arena.put(name, bytes([GARBAGE]) * len(value))
                arena.go(routine.steps[done:])
                complaint = f"the context keeps a pointer to the caller's {name}: results differ "
                complaint += f"when that is erased after {routine.steps[done - 1].function}"
                pairs.expect(complaint, expected, arena.taken(routine))


def _last_uses(routine: Routine) -> Iterator[tuple[str, int]]:
    """Yield the inputs that not all steps need, with how many steps do."""
    for name in routine.inputs:
        used = [number for number, step in enumerate(routine.steps, 1) if name in named((step,))]
        if used and used[-1] < len(routine.steps) and routine.variables[name].value:
            yield name, used[-1]


ERASED: Check[AnyTrial] = Check(
    name="context/key-kept",
    asks="May the caller erase the key, the IV and the data once they have been taken?",
    why=(
        "Careful programs erase a key after setup, and buffers are used again. If the context "
        "keeps a pointer, the next call uses other data."
    ),
    cure="Copy what is needed of the key, the IV and the data into the context.",
    run=erased,
    excuse=lambda trial: trial.excuse(Promise.ERASED),
)


def interleaved(trial: AnyTrial) -> None:
    """Process several messages at once, of several sizes, step by step in turn.

    Then begin hundreds in contexts of their own between the first step and the others of one.
    """
    routines = [*staged(trial), *staged(trial), *staged(trial)][:AT_ONCE]
    with trial.session() as session:
        arenas = [Arena(session, base=BUFFERS * number) for number in range(len(routines))]
        alone = [arena.begin(one) for arena, one in zip(arenas, routines, strict=True)]
        pairs, every = EqualPairs(arenas[0]), [*zip(arenas, routines, alone, strict=True)]
        for order in (every, every[::-1]):  # what is shared is of the last one's sizes
            for arena, routine, _ in order:
                arena.fill(routine)
            for steps in zip_longest(*(routine.steps for _, routine, _ in order)):
                for (arena, _, _), step in zip(order, steps, strict=True):
                    arena.go((step,) if step else ())
            for arena, routine, expected in order:
                complaint = "results change when calls with another context come in between"
                pairs.expect(complaint, expected, arena.taken(routine))
        pairs.judge()
    if not trial.stretch and not trial.on_board:
        _crowded(trial)


def _crowded(trial: AnyTrial) -> None:
    """Begin messages in so many contexts that no table of a package has room for all."""
    budget = trial.budget(CROWD_SECONDS)
    routine = next(staged(trial))
    context = context_of(routine)
    size = routine.variables[context]
    stride = -(-size.size // size.modulus) * size.modulus
    crowd = min(CROWD, CROWD_BYTES // stride)
    with side_by_side(trial) as (arena, others, pairs):
        expected = arena.begin(routine)
        arena.ready(routine)
        arena.go(routine.steps[:BEGUN])
        many = replace(size, size=crowd * stride)
        others.lay(replace(routine, variables={**routine.variables, context: many}))
        for name in routine.inputs:
            others.put(name, trial.bytes(routine.variables[name].size))
        for number in budget.each(arena.session, range(crowd)):
            others.go(tuple(_in(one, context, number * stride) for one in routine.steps[:BEGUN]))
        arena.go(routine.steps[BEGUN:])
        complaint = f"results change when {crowd} other contexts were begun in between"
        pairs.expect(complaint, expected, arena.taken(routine))


def _in(step: Step, context: str, offset: int) -> Step:
    """Return a step on a context that lies behind others in one buffer."""
    place = symbol(context)
    moved = (place.at(offset) if one == place and offset else one for one in step.arguments)
    return replace(step, arguments=tuple(moved))


INTERLEAVED: Check[AnyTrial] = Check(
    name="context/interleaved",
    asks="May several messages be processed at the same time, each with its own context?",
    why="Applications do so; writable data outside the contexts mixes the messages.",
    cure="Move static data into the context.",
    run=interleaved,
)
