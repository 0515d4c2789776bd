# SPDX-License-Identifier: MIT
"""Agents that are timed, that prove and that are checked cannot be told apart by what they see."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from assay.execute.agent import Agent
from assay.execute.jail import Jail
from assay.execute.pipe import Guise
from assay.execute.stage import Stage
from assay.model.wire import StreamFunction
from assay.timing.agent import TimedAgent

SEE = 11  # of the agent in conftest.py
ROOM = 4096
SEED = 7  # places the stack, and says how long the padding of the environment is
NOT_TO_BE_ASKED = bytes([0, 0])  # sched_getaffinity failed, and no processor is in the set


@dataclass(frozen=True)
class Use:
    """A use of an agent: the name of its file, and how it is launched."""

    file: str
    client: type[Agent]
    pinned: bool
    roomy: bool = False


USES = (
    Use("1" * 64, Agent, pinned=False),  # checked, or proving
    Use("2" * 64, Agent, pinned=False, roomy=True),
    Use("3" * 64, TimedAgent, pinned=True),
)


def seen(stage: Stage, naughty: Path, use: Use) -> bytes:
    """Launch an agent, and give what its code sees."""
    file = stage.home / use.file
    shutil.copy(naughty, file)
    with stage.connect_as(use.client, file, SEED, pinned=use.pinned, roomy=use.roomy) as agent:
        ctx, key = agent.buffer("ctx", ROOM), agent.buffer("key", 16)
        agent.call(StreamFunction.KEYSETUP, (ctx, key), (SEE, ROOM, 0))
        return agent.read(ctx)


def test_code_sees_the_same_in_all_agents(naughty: Path, home: Path, jail: Jail) -> None:
    """Arguments, environment, the name of the program, and which processors it may use."""
    stage = Stage(jail, home, cpu=0)
    first, *others = (seen(stage, naughty, use) for use in USES)
    assert b"ASSAY_PADDING" in first
    assert others == [first] * len(others)


def test_neither_arguments_nor_processors_are_to_be_seen(
    naughty: Path, home: Path, jail: Jail
) -> None:
    """The number of a pinned agent's processors is not told, and no argument or name is left."""
    found = seen(Stage(jail, home, cpu=0), naughty, USES[-1])
    assert found[:2] == NOT_TO_BE_ASKED
    assert b"3" * 8 not in found


def test_a_users_program_sees_nothing_of_assay(naughty: Path, home: Path, jail: Jail) -> None:
    """Neither variables nor arguments name it, and it may ask for its processors."""
    stage, file = Stage(jail, home, cpu=0), home / ("4" * 64)
    shutil.copy(naughty, file)
    with stage.connect(file, SEED, guise=Guise.USERS) as agent:
        ctx, key = agent.buffer("ctx", ROOM), agent.buffer("key", 16)
        agent.call(StreamFunction.KEYSETUP, (ctx, key), (SEE, ROOM, 0))
        found = agent.read(ctx)
    assert found[:2] != NOT_TO_BE_ASKED
    assert b"SHELL=/bin/bash" in found
    assert b"assay" not in found.lower()
    assert b"4" * 8 not in found
