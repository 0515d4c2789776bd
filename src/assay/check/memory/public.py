# SPDX-License-Identifier: MIT
"""Whether a package declares its whole key public: nothing would be watched any more.

`crypto_declassify` is for what everybody may know: whether a tag was right, the seed of a public
matrix. Of a key it is a way to have every branch on it overlooked.
"""

from collections.abc import Iterator

from assay.check.arena import Arena
from assay.check.routine import Routine
from assay.execute.agent import Agent
from assay.execute.valgrind import Complaint, mark
from assay.model.api import Role

PROBE_BYTES = 16


def counts_secrets(agent: Agent) -> bool:
    """Return whether an agent tells how many bytes of a buffer are secret."""
    probe = agent.buffer("probe", PROBE_BYTES)
    mark(agent, probe, secret=True)
    return mark(agent, probe, secret=False).undefined == PROBE_BYTES


def made_public(arena: Arena, routine: Routine) -> Iterator[Complaint]:
    """Yield the secret keys of which no byte is secret any more after a call."""
    for name in routine.having(Role.KEY):
        one = routine.variables[name]
        if one.secret and one.value and not one.is_output:
            place = arena.buffer(name)
            if mark(arena.session.agent, place, one.size, secret=False).undefined == 0:
                what = f"all {one.size} bytes of {name} are declared public"
                yield Complaint(what, True, False, (routine.steps[-1].function,))
