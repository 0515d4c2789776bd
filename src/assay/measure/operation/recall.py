# SPDX-License-Identifier: MIT
"""Calls that were timed, each repeated alone by an agent that was asked for nothing before.

The agent that makes inputs and right outputs has the same pools as the one that is timed, so code
could know them by that, and do nothing in both. This one has single buffers anywhere, as agents of
checks have them.
"""

from collections.abc import Iterable, Iterator
from random import Random, SystemRandom

from msgspec import Struct
from msgspec.structs import replace

from assay.check.operation.routines import TimedGroup
from assay.check.operation.session import OperationSession
from assay.execute.agent import Agent
from assay.measure.audit import require_same
from assay.measure.operation.bed import ALIGNMENT, Bed
from assay.measure.operation.challenge import Challenge, Challenger
from assay.measure.operation.rounds import TakenTask
from assay.model import OperationSubject


class Recall(Struct, frozen=True):
    """A call of a group's task, with its inputs and what it wrote."""

    group: TimedGroup
    challenge: Challenge


def recalls(bed: Bed, tasks: Iterable[TakenTask], random: Random) -> Iterator[Recall]:
    """Choose a call of each task whose outputs are known: the first where it draws randomness."""
    for one in tasks:
        drawn = any(one.timing.random_calls)
        accepted = sorted(set(range(bed.slices)) - one.challenge.other)
        number = 0 if drawn else random.choice(accepted)
        if not one.challenge.task.forged:
            yield Recall(bed.group, _slice(bed, one.challenge, number))


def _slice(bed: Bed, challenge: Challenge, number: int) -> Challenge:
    def cut(contents: dict[str, bytes]) -> dict[str, bytes]:
        begins = {name: bed.stride(name) * number for name in contents}
        return {
            name: data[begins[name] : begins[name] + bed.group.variables[name]]
            for name, data in contents.items()
        }

    return replace(
        challenge,
        inputs=cut(challenge.inputs),
        outputs=cut(challenge.outputs),
        given=challenge.given[number : number + 1],
        lengths=challenge.lengths[number : number + 1],
        other=frozenset(),
    )


def repeat(agent: Agent, subject: OperationSubject, chosen: Iterable[Recall]) -> None:
    """Make the calls; WrongOutput names the first that writes something else."""
    session, random = OperationSession(agent, subject), SystemRandom()
    for one in chosen:
        bed = Bed(session, one.group, calls=1, samples=0)
        agent.forget_buffers()
        for name in one.challenge.inputs:
            size, residue = one.group.variables[name], random.randrange(ALIGNMENT)
            bed.pools[name] = agent.buffer(name, size, modulus=ALIGNMENT, residue=residue)
            agent.write(bed.pools[name], one.challenge.inputs[name])
        _require_right(one.challenge, Challenger(bed).answered(one.challenge), subject)


def _require_right(timed: Challenge, alone: Challenge, subject: OperationSubject) -> None:
    """Compare a timed call with the same made alone; WrongOutput if it wrote something else."""
    who = f"while it was timed {subject.operation}{timed.task.suffix}"
    require_same(who, "length", timed.lengths, alone.lengths, than="alone")
    for name, right in alone.outputs.items():
        require_same(
            who, f"`{name}`", timed.outputs[name], right, lambda _: ", in a call that was chosen",
            than="alone",
        )  # fmt: skip
