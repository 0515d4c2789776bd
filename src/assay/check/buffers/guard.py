# SPDX-License-Identifier: MIT
"""Whether the functions keep to the buffers that they are given.

Every variable has exactly its size and ends at an inaccessible page, then begins at one, so
that an access beyond it faults; what stands around it holds a pattern that must stay. Where
an API lets code assume aligned buffers, they end as close to the page as the code can work
with; what it reads in between is then not seen.

An access to the aligned word that holds the last byte never leaves the page. Where there is
none beyond such a word, and the bytes behind the end stay as they are, that is a finding and
no failure.
"""

from collections.abc import Iterator

from msgspec import Struct

from assay.check.arena import ROOM, Arena, BufferShape, Placement, damage
from assay.check.check import Check, CheckFailed, CheckFinding
from assay.check.routine import FIRST_LENGTHS, Routine, Variable
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentFault, PendingAnswer
from assay.model.api import Role

WORDS = (4, 8)  # bytes of a machine word; whole vectors and blocks are none
SECONDS = 4.0  # for all lengths: few implementations need it, however busy the machine
REFUSED = (0, 1, 37, 200)  # lengths of messages of which something is changed
FIRST_SECONDS = 2.0  # for few lengths, with variables at the beginning of a page


def at_end(modulus: int, room: int = 0) -> Placement:
    """Let variables end at an inaccessible page, as near as the alignment allows."""

    def place(_: str, variable: Variable) -> BufferShape:
        if variable.role is Role.STATE:  # whose alignment is that of its type
            return BufferShape(variable.size + room, variable.modulus)
        return BufferShape(variable.size + room, modulus)

    return place


def at_beginning(batch: Batch, page_bytes: int) -> Placement:
    """Let variables begin where a page does, behind one that cannot be accessed.

    Every buffer keeps its size, and so its place, for all routines of a batch.
    """
    largest: dict[str, int] = {}
    for name, one in (pair for routine in batch for pair in routine.variables.items()):
        largest[name] = max(largest.get(name, 1), one.size)

    def place(name: str, _: Variable) -> BufferShape:
        return BufferShape(-(-largest[name] // page_bytes) * page_bytes)

    return place


def guarded(trial: AnyTrial) -> str:
    """Sweep over sizes and lengths, with the closest guard that the code can work with."""
    for modulus in trial.alignments:
        try:
            remark = _sweep(trial, at_end(modulus))
        except AgentFault as fault:
            last = modulus == trial.alignments[-1]
            if last or not _faults(trial, at_end(modulus, ROOM)):
                _judge(trial, modulus, fault)
        else:
            also = _beginnings(trial)
            return remark or also
    raise AssertionError("the last alignment passes or fails")


def _judge(trial: AnyTrial, modulus: int, fault: AgentFault) -> None:
    """Raise CheckFailed for a fault; CheckFinding if no access leaves the last byte's word."""
    words = [word for word in WORDS if modulus < word <= trial.alignments[-1]]
    for word in words:
        if fault.beyond in range(word) and not _faults(trial, at_end(word)):
            _beginnings(trial)
            raise CheckFinding(
                f"{fault}, beyond the end, but within the aligned {word} bytes that hold the "
                "last byte; it changes nothing there",
                cure="The API lets code assume aligned buffers; a caller whose buffers are not "
                "may crash. Take the last bytes one by one.",
            ) from None
    raise CheckFailed(str(fault)) from None


def _faults(trial: AnyTrial, place: Placement) -> bool:
    try:
        _sweep(trial, place)
    except AgentFault:
        return True
    return False


def _sweep(trial: AnyTrial, place: Placement) -> str:
    """Use all functions with all lengths; return what was left out."""
    budget = trial.budget(SECONDS)
    for batch in trial.uses(trial.lengths(thorough=trial.thorough), wide=True):
        with trial.session() as session:
            arena = Arena(session, place)
            looks = [
                look for routine in budget.each(session, batch) for look in _use(arena, routine)
            ]
            what = f"one of the functions, {batch[-1].name} at last,"
            looks += [MarginLook(what, name, 0, arena.around(name)) for name in arena.buffers]
            for look in looks:
                look.judge()
    _refuse(trial, place)
    return budget.remark()


def _refuse(trial: AnyTrial, place: Placement) -> None:
    """Use what opens and verifies with what it refuses."""
    budget = trial.budget(FIRST_SECONDS)
    with trial.session() as session:
        refused = trial.refused(session, REFUSED)
        arena = Arena.alone(session, place)
        for look in [
            look for routine in budget.each(session, refused) for look in _use(arena, routine)
        ]:
            look.judge()


def _beginnings(trial: AnyTrial) -> str:
    """Use all functions with variables that nothing stands before."""
    budget = trial.budget(FIRST_SECONDS)
    for batch in trial.uses(FIRST_LENGTHS):
        with trial.fresh_session() as session:  # whose buffers are not larger from earlier use
            if session.agent.page_bytes == 0:
                break
            arena = Arena(session, at_beginning(batch, session.agent.page_bytes))
            for routine in budget.each(session, batch):
                arena.use(routine)
    return budget.remark()


class MarginLook(Struct, frozen=True):
    """What was written around a variable, once a routine had been performed."""

    what: str
    name: str
    size: int
    around: PendingAnswer

    def judge(self) -> None:
        """Raise CheckFailed if anything was."""
        changed, first = damage(self.around)
        if changed:
            size = f" ({self.size} bytes)" if self.size else ""
            raise CheckFailed(
                f"{self.what} writes outside of {self.name}{size}: {changed} bytes, the first at "
                f"offset {first}"
            )


def _use(arena: Arena, routine: Routine) -> Iterator[MarginLook]:
    """Perform a routine, and look around what it writes."""
    arena.use(routine)
    for name in routine.outputs:
        if routine.variables[name].size:
            yield MarginLook(routine.name, name, routine.variables[name].size, arena.around(name))


CHECK: Check[AnyTrial] = Check(
    name="buffers/guard",
    asks="Does every function stay within its buffers?",
    why=(
        "Reading beyond a buffer crashes if the next page is not mapped. Writing beyond it "
        "corrupts other data and lets attackers take over programs."
    ),
    cure=(
        "Look at the named function and offset. Common causes: a last block loaded or stored "
        "whole although only a part belongs to the message, a loop that runs once too often, an "
        "array one element too short, a size in bits used as one in bytes."
    ),
    run=guarded,
)
