# SPDX-License-Identifier: MIT
"""An agent on a terminal."""

import os
import pty
import subprocess
import termios
import time
import tty

from tests.unit.harness.boards import PATIENCE, TERMINAL, Board, only

from assay.execute.agent import Agent
from assay.execute.pipe import PipeClosed, PipeTimeout


class TerminalPipe:
    """The bench's end of a terminal, as a serial line will be."""

    def __init__(self, path: str) -> None:
        """Open the terminal, raw."""
        self._line = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line, termios.TCSANOW)

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        while data:
            data = data[os.write(self._line, data) :]

    def read(self, length: int, deadline: float) -> bytes:
        """Receive exactly `length` bytes by `deadline`."""
        got = b""
        while len(got) < length:
            if time.monotonic() > deadline:
                raise PipeTimeout
            part = os.read(self._line, length - len(got))
            if not part:
                raise PipeClosed
            got += part
        return got

    def close(self) -> str:
        """Leave."""
        os.close(self._line)
        return ""


@only([TERMINAL])
def test_an_agent_can_be_reached_over_a_terminal(board: Board) -> None:
    """The agent makes a terminal and names it; the bench comes, goes and comes again."""
    command = [str(board.agent), "pty"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        path = process.stdout.readline().strip()
        for _ in range(2):
            with Agent(TerminalPipe(path), PATIENCE) as agent:
                made = agent.buffer("all", 256)
                agent.write(made, bytes(range(256)))
                assert bytes(range(256)) == agent.read(made)
        process.kill()


@only([TERMINAL])
def test_an_agent_can_be_given_a_terminal(board: Board) -> None:
    """The other way round: the bench has the terminal, the agent opens it."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # a terminal echoes what arrives before the agent has opened it
    with subprocess.Popen([str(board.agent), os.ttyname(theirs)]) as process:
        pipe = TerminalPipe.__new__(TerminalPipe)
        pipe._line = ours
        with Agent(pipe, PATIENCE) as agent:
            assert agent.largest_payload == 1 << 16
        os.close(theirs)
        process.kill()
