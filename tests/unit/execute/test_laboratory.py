# SPDX-License-Identifier: MIT
"""Boards that several people use: acquired before the first agent, and given back."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.execute.lines import WEAK, Board, converse

from assay.errors import MachineError
from assay.execute.agent import Agent
from assay.execute.opening import open_agent
from assay.execute.serial import close_lines
from assay.machine.threads import ending_threads


def test_a_board_of_a_laboratory_is_acquired_once_and_given_back(
    board: Board, agents: tuple[Path, Path]
) -> None:
    """Before the first agent, and when the command ends."""
    done = board.folder / "done"
    acquire, release = (f"sh -c 'echo {one} {{line}} >>{done}'" for one in ("acquire", "release"))
    target = replace(board.target, acquire=acquire, release=release)
    for agent in agents:
        with open_agent(Agent, target, agent, WEAK) as opened:
            converse(opened)
    assert done.read_text() == f"acquire {target.line}\n"
    close_lines()
    close_lines()
    assert done.read_text() == f"acquire {target.line}\nrelease {target.line}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sh -c 'echo place in use; exit 4'", r"was not acquired: .* code 4; .* place in use"),
        ("sleep 60", r"was not acquired: it was stopped \(after 1 seconds at most\)"),
        ("/no/such/client acquire", "cannot be acquired"),
    ],
)
def test_a_board_that_cannot_be_acquired_is_no_fault_of_the_code(
    board: Board, agents: tuple[Path, Path], words: str, said: str
) -> None:
    """The message has what the command printed, and which field to look at."""
    target = replace(board.target, acquire=words, acquire_seconds=1)
    with pytest.raises(MachineError, match=said) as caught:
        open_agent(Agent, target, agents[0], WEAK)
    assert "`acquire` of my-board" in caught.value.cure
    assert board.times_flashed() == 0


def test_a_board_whose_acquiring_was_stopped_is_given_back(
    board: Board, agents: tuple[Path, Path]
) -> None:
    """The place may be ours already; a refused one is somebody else's, and stays so."""
    done = board.folder / "done"
    release = f"sh -c 'echo released >>{done}'"
    slow = replace(board.target, acquire="sleep 60", acquire_seconds=1, release=release)
    refused = replace(slow, acquire="false")
    for target, said in ((refused, ""), (slow, "released\n")):
        with pytest.raises(MachineError, match="was not acquired"):
            open_agent(Agent, target, agents[0], WEAK)
        assert (done.read_text() if done.exists() else "") == said


def test_a_board_that_cannot_be_given_back_is_named(
    board: Board, agents: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing else is lost by it."""
    target = replace(board.target, acquire="true", release="false")
    with open_agent(Agent, target, agents[0], WEAK) as opened:
        converse(opened)
    close_lines()
    assert (
        "warning: my-board was not released: `false` exited with code 1" in capsys.readouterr().err
    )


def test_who_is_interrupted_while_a_board_is_acquired_gives_it_back(
    board: Board, agents: tuple[Path, Path]
) -> None:
    """A thread that waits for the command hears of it, as the interrupt is the main thread's."""
    done = board.folder / "done"
    release = f"sh -c 'echo released >>{done}'"
    target = replace(board.target, acquire="sleep 60", release=release)
    with ending_threads(), pytest.raises(KeyboardInterrupt):
        open_agent(Agent, target, agents[0], WEAK)
    close_lines()
    assert done.read_text() == "released\n"


def test_who_waits_for_a_board_can_be_interrupted(board: Board, agents: tuple[Path, Path]) -> None:
    """One that hangs would be waited for a minute."""
    with open_agent(Agent, board.target, agents[0], WEAK) as opened:
        converse(opened)
        with ending_threads(), pytest.raises(KeyboardInterrupt):
            converse(opened)
