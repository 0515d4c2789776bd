# SPDX-License-Identifier: MIT
"""A board on a line: a process behind a terminal, with a programmer that is a script."""

import os
import pty
import shutil
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute import serial
from assay.execute.agent import Agent
from assay.execute.jail import Jail, JailMode
from assay.model import Package, Runner, Runtime, Target
from assay.package.resolve import resolve
from assay.plan.choice import target_configuration
from assay.targets.catalogue import native

CLONE = Path(__file__).resolve().parents[3]


BOARDS = CLONE / "src" / "assay" / "harness" / "boards"


WEAK = Jail(JailMode.LIMITS_ONLY)


PROGRAMMER = """\
#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$1" >>flashed
if [ -f pid ]; then kill -9 "$(cat pid)" 2>/dev/null; fi
rm -f name; cp "$1" firmware.new && chmod 755 firmware.new && mv firmware.new firmware
( ./firmware pty >name 2>/dev/null & echo $! >pid )
while ! [ -s name ]; do sleep 0.02; done
ln -sfn "$(cat name)" board
"""


TARGETS = """
[[target]]
name = "my-board"
title = "a board that is a program of this machine"
base = "native"
runner = "serial"
runtime = "board"
board = "{board}"
line = "{folder}/line"
speed = 115200
flash = "{folder}/programmer {{elf}}"
"""


class Board:
    """A folder with a programmer, and the terminal that is the bench's end of the line.

    Between that and the board's own terminal stand `spoil`, for what goes to the board,
    and `spoil_answers`.
    """

    def __init__(self, folder: Path) -> None:
        """Make the line; nothing is flashed yet."""
        self.folder = folder
        self.spoil: Callable[[bytes], bytes] = bytes
        self.spoil_answers: Callable[[bytes], bytes] = bytes
        self.carried_bytes = 0  # to the board
        (folder / "programmer").write_text(PROGRAMMER)
        (folder / "programmer").chmod(0o755)
        self._bench, self._other = pty.openpty()
        tty.setraw(self._other, termios.TCSANOW)
        (folder / "line").symlink_to(os.ttyname(self._other))
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._carry, args=(to_board,)) for to_board in (True, False)
        ]
        os.set_blocking(self._bench, False)
        for one in self._threads:
            one.start()

    @property
    def target(self) -> Target:
        """Describe it."""
        return replace(
            native(),
            name="my-board",
            runner=Runner.SERIAL,
            runtime=Runtime.BOARD,
            board="pty",
            line=str(self.folder / "line"),
            flash=f"{self.folder}/programmer {{elf}}",
        )

    def say(self, data: bytes) -> None:
        """Let the bench hear something."""
        os.write(self._bench, data)

    def times_flashed(self) -> int:
        """Count."""
        known = self.folder / "flashed"
        return len(known.read_text().splitlines()) if known.exists() else 0

    def close(self) -> None:
        """End everything."""
        self._ended.set()
        for one in self._threads:
            one.join()
        if (self.folder / "pid").exists():
            os.kill(int((self.folder / "pid").read_text()), 9)
        os.close(self._bench)
        os.close(self._other)

    def _carry(self, to_board: bool) -> None:
        """Carry bytes one way; the board's terminal is another one after each flashing."""
        name, board = "", -1
        while not self._ended.is_set():
            link = self.folder / "board"
            now = str(link.readlink()) if link.is_symlink() else ""
            if now != name:
                if board >= 0:
                    os.close(board)
                board = os.open(now, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
                tty.setraw(board, termios.TCSANOW)
                name = now
            try:
                data = os.read(self._bench if to_board else board, 256)
                self.carried_bytes += to_board * len(data)
                if to_board and board >= 0:
                    self._all(board, self.spoil(data))
                elif not to_board:
                    self._all(self._bench, self.spoil_answers(data))
            except OSError:
                time.sleep(0.001)
        if board >= 0:
            os.close(board)

    def _all(self, to: int, data: bytes) -> None:
        while data and not self._ended.is_set():
            try:
                data = data[os.write(to, data) :]
            except BlockingIOError:
                time.sleep(0.001)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    """Give a board, and short patience."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    for name, seconds in (("NUDGE_SECONDS", 0.3), ("BOOT_SECONDS", 4.0), ("GAP_SECONDS", 1.0)):
        monkeypatch.setattr(serial, name, seconds)
    monkeypatch.setattr(serial, "PRESENT_SECONDS", 1.5)
    made = Board(tmp_path)
    yield made
    serial.close_lines()
    made.close()


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build Shabal for such a board, once; the second one has a few bytes more."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    folder = tmp_path_factory.mktemp("agents")
    target = replace(native(), runner=Runner.SERIAL, runtime=Runtime.BOARD, board="pty", line="-")
    (package,) = resolve(("submissions/shabal/portable",), CLONE)
    assert isinstance(package, Package)
    with open_workshop(WEAK, target=target) as workshop:
        recipe = Recipe(package, 1, *target_configuration(target), target)
        build = workshop.build(recipe)
        assert build.agent is not None, build.diagnostics
        (folder / "agent").write_bytes(build.agent.read_bytes())
        (folder / "other").write_bytes(build.agent.read_bytes() + b"another")
        return folder / "agent", folder / "other"


def converse(agent: Agent, rounds: int = 20) -> None:
    """Move bytes both ways, and compare."""
    for number in range(rounds):
        agent.forget_buffers()
        made = agent.buffer("some", 300)
        data = os.urandom(300)
        agent.write(made, data)
        assert (data, number) == (agent.read(made), number)
