# SPDX-License-Identifier: MIT
"""A board on a serial line: a program of this machine behind a terminal, and a bad line to it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.execute.lines import BOARDS, CLONE, TARGETS, WEAK, Board, converse

from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.errors import MachineError, UsageError
from assay.execute.agent import Agent, AgentSilent
from assay.execute.opening import confinement, open_agent
from assay.execute.serial import objcopy_of
from assay.model import Package
from assay.package.resolve import resolve
from assay.plan.choice import target_configuration
from assay.targets.catalogue import users_targets

BETWEEN_FLIPS = 9_973  # more than the largest frame of the check: a second try arrives


def test_a_board_is_flashed_once_for_an_agent(board: Board, agents: tuple[Path, Path]) -> None:
    """The same agent is greeted again; another one is flashed; conversations may overlap."""
    with open_agent(Agent, board.target, agents[0], WEAK) as first:
        converse(first)
        with open_agent(Agent, board.target, agents[0], WEAK) as second:
            converse(second)
        converse(first)
    assert board.times_flashed() == 1
    with open_agent(Agent, board.target, agents[1], WEAK) as other:
        converse(other)
    assert board.times_flashed() == 2


def test_what_a_board_says_before_is_skipped(board: Board, agents: tuple[Path, Path]) -> None:
    """Boot messages, and what looks like the beginning of a frame."""
    stop = threading.Event()

    def boot() -> None:
        while not stop.wait(0.05):
            board.say(b"U-Boot 2024.01 AS\x00\x00\xff\xff\r\n")

    talker = threading.Thread(target=boot)
    talker.start()
    threading.Timer(1.0, stop.set).start()
    with open_agent(Agent, board.target, agents[0], WEAK) as agent:
        converse(agent)
    talker.join()


def flipping(every: int) -> Callable[[bytes], bytes]:
    """Flip a bit of every so-many-th byte."""
    seen = 0

    def spoil(data: bytes) -> bytes:
        nonlocal seen
        spoilt = bytearray(data)
        for at in range(len(spoilt)):
            seen += 1
            if seen % every == 0:
                spoilt[at] ^= 1 << seen // every % 8
        return bytes(spoilt)

    return spoil


def losing(every: int) -> Callable[[bytes], bytes]:
    """Lose every so-many-th byte."""
    seen = 0

    def spoil(data: bytes) -> bytes:
        nonlocal seen
        seen += len(data)
        at = seen % every
        return data[:at] + data[at + 1 :] if at < len(data) and seen > every else data

    return spoil


@pytest.mark.parametrize("spoil", [flipping(1777), losing(3001)], ids=["flipped", "lost"])
def test_requests_that_arrive_damaged_are_sent_again(
    board: Board, agents: tuple[Path, Path], spoil: Callable[[bytes], bytes]
) -> None:
    """Whatever was hit: magic, header, payload or checksum."""
    with open_agent(Agent, board.target, agents[0], WEAK) as agent:
        before = os.urandom(64)
        kept = agent.buffer("kept", 64, number=40)
        agent.write(kept, before)
        board.spoil = spoil
        converse(agent, 60)
        board.spoil = bytes
        assert before == agent.read(kept)
    assert board.times_flashed() == 1


@pytest.mark.parametrize("spoil", [flipping(450), losing(451)], ids=["flipped", "lost"])
def test_answers_that_arrive_damaged_are_no_verdict(
    board: Board, agents: tuple[Path, Path], spoil: Callable[[bytes], bytes]
) -> None:
    """They were executed and cannot be asked for again: the line is to blame, exit code 2."""
    with open_agent(Agent, board.target, agents[0], WEAK) as agent:
        made = agent.buffer("some", 400)
        agent.flush()
        board.spoil_answers = spoil
        with pytest.raises(MachineError, match="an answer on the line") as caught:
            [agent.read(made) for _ in range(3)]
    assert "lower `speed`" in caught.value.cure


def test_a_board_that_answered_with_damage_is_reset(
    board: Board, agents: tuple[Path, Path]
) -> None:
    """The code may have written to the line, or crashed the board in the middle of an answer."""
    reset = f"sh -c 'echo reset >>{board.folder}/done'"
    target = replace(board.target, reset=reset)
    with open_agent(Agent, target, agents[0], WEAK) as agent:
        made = agent.buffer("some", 400)
        agent.flush()
        board.spoil_answers = flipping(450)
        with pytest.raises(MachineError, match="an answer on the line"):
            [agent.read(made) for _ in range(3)]
    board.spoil_answers = bytes
    with open_agent(Agent, target, agents[0], WEAK) as again:
        converse(again)
    assert (board.folder / "done").read_text() == "reset\n"


def test_a_silent_board_is_given_up_and_flashed_again(
    board: Board, agents: tuple[Path, Path]
) -> None:
    """The message says what may be wrong; the next conversation begins anew."""
    agent = open_agent(Agent, board.target, agents[0], WEAK)
    agent._seconds = 1.0
    board.spoil = lambda _: b""
    with pytest.raises(AgentSilent, match="lower `speed` or a shorter cable"):
        converse(agent)
    board.spoil = bytes
    with open_agent(Agent, board.target, agents[0], WEAK) as again:
        converse(again)
    assert board.times_flashed() == 2


def test_a_board_that_hung_is_reset_and_not_flashed_again(
    board: Board, agents: tuple[Path, Path]
) -> None:
    """Its flash memory has the agent already; another agent is flashed as ever."""
    reset = f"sh -c 'echo reset >>{board.folder}/done'"
    target = replace(board.target, reset=reset)
    agent = open_agent(Agent, target, agents[0], WEAK)
    agent._seconds = 1.0
    board.spoil = lambda _: b""
    with pytest.raises(AgentSilent):
        converse(agent)
    board.spoil = bytes
    with open_agent(Agent, target, agents[0], WEAK) as again:
        converse(again)
    assert ((board.folder / "done").read_text(), board.times_flashed()) == ("reset\n", 1)
    with open_agent(Agent, target, agents[1], WEAK) as other:
        converse(other)
    assert ((board.folder / "done").read_text(), board.times_flashed()) == ("reset\n", 2)


def test_a_board_waits_for_its_thread(board: Board, agents: tuple[Path, Path]) -> None:
    """Two threads take turns."""
    wrong: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with open_agent(Agent, board.target, agents[number], WEAK) as agent:
                converse(agent)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert (wrong, board.times_flashed()) == ([], 2)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"line": "/dev/no-such-line"}, "cannot be opened"),
        ({"flash": "/no/such/programmer {elf}"}, "cannot be flashed"),
        ({"flash": "sh -c 'echo no target voltage; exit 3'"}, "code 3; it printed: no target"),
        ({"flash": "true"}, "no agent answers on .* at 115200 baud: nothing at all"),
    ],
)
def test_what_does_not_work_says_why(
    board: Board, agents: tuple[Path, Path], changed: dict[str, str], says: str
) -> None:
    """No line, no programmer, no board: with what to do about it."""
    target = replace(board.target, **changed)
    with pytest.raises(MachineError, match=says) as caught:
        open_agent(Agent, target, agents[0], WEAK)
    assert caught.value.cure


def test_noise_instead_of_an_agent_is_shown(board: Board, agents: tuple[Path, Path]) -> None:
    """It tells a wrong speed from a dead board."""
    stop = threading.Event()

    def talk() -> None:
        while not stop.wait(0.2):
            board.say(b"login: ")

    talker = threading.Thread(target=talk)
    talker.start()
    try:
        with pytest.raises(MachineError, match=r"is no answer: .*login: "):
            open_agent(Agent, replace(board.target, flash="true"), agents[0], WEAK)
    finally:
        stop.set()
        talker.join()


def test_the_image_is_made_in_the_form_asked_for(board: Board, agents: tuple[Path, Path]) -> None:
    """Intel hex and raw bytes, by the target's own objcopy; the line's name and speed."""
    keep = f"cp {{hex}} {board.folder}/a.hex && cp {{image}} {board.folder}/a.bin"
    words = f"{keep} && echo {{line}} {{speed}} >{board.folder}/said && exec $0 {{elf}}"
    flash = f"sh -c {shlex.quote(words)} {board.folder}/programmer"
    with open_agent(
        Agent, replace(board.target, flash=flash, speed=57600), agents[0], WEAK
    ) as agent:
        converse(agent)
    assert (board.folder / "a.hex").read_text().startswith(":")
    assert (board.folder / "a.bin").stat().st_size > 1000
    assert (board.folder / "said").read_text() == f"{board.folder}/line 57600\n"


def test_a_board_can_be_flashed_by_hand(
    board: Board, agents: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call says which file; the next one trusts that it was done, and says so."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(board.folder / "cache"))
    target = replace(board.target, flash="")
    with pytest.raises(MachineError, match="has not been on it yet") as caught:
        open_agent(Agent, target, agents[0], WEAK)
    image = caught.value.cure.split()[1]
    subprocess.run([board.folder / "programmer", image], check=True)
    with open_agent(Agent, target, agents[0], WEAK) as agent:
        converse(agent)
    with pytest.raises(MachineError, match="has not been on it yet"):
        open_agent(Agent, target, agents[1], WEAK)
    assert confinement(target, WEAK).endswith("nothing, flashed by hand")


@pytest.mark.parametrize(
    ("compiler", "tool"),
    [
        ("gcc", "objcopy"),
        ("gcc-12", "objcopy"),
        ("avr-gcc", "avr-objcopy"),
        ("arm-none-eabi-gcc-12.2", "arm-none-eabi-objcopy"),
    ],
)
def test_every_gcc_has_its_objcopy(compiler: str, tool: str) -> None:
    """By the same prefix, without its version."""
    assert tool == objcopy_of(compiler)


@pytest.mark.parametrize(
    ("port", "asked"),
    [
        pytest.param("pty", "", marks=pytest.mark.slow),
        pytest.param("./own/mine", "", marks=pytest.mark.slow),
        ("./own/mine", "--only digest --only buffers"),
    ],
)
def test_check_works_on_a_board(board: Board, port: str, asked: str) -> None:
    """The whole way over a bad line: a user's targets file, a port of one's own, the checks."""
    (board.folder / "own").mkdir()
    for suffix in (".c", ".h"):
        shutil.copy(BOARDS / f"pty{suffix}", board.folder / "own" / f"mine{suffix}")
    board.spoil = flipping(BETWEEN_FLIPS)
    file = board.folder / "targets.toml"
    file.write_text(TARGETS.format(board=port, folder=board.folder))
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", "check"]
    command += ["submissions/shabal/portable", "--json", "--target", "my-board"]
    command += ["--targets-file", str(file), *asked.split()]
    done = subprocess.run(command, cwd=CLONE, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)
    assert (done.returncode, found["passed"]) == (0, True), done.stdout + done.stderr
    assert found["jail"] == f"board on {board.folder}/line, nothing"
    verdicts = {one["check"]: one["verdict"] for one in found["checks"]}
    assert verdicts["digest/verified"] == "pass"
    assert board.carried_bytes > 3 * BETWEEN_FLIPS


def test_a_port_of_ones_own_brings_its_linker_script(tmp_path: Path) -> None:
    """It may include what the harness has beside its own ports."""
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("no gcc for Cortex-M (apt-get install gcc-arm-none-eabi)")
    (tmp_path / "ports").mkdir()
    for suffix in (".c", ".h", ".ld"):
        shutil.copy(BOARDS / f"mps2{suffix}", tmp_path / "ports" / f"mine{suffix}")
    file = tmp_path / "targets.toml"
    file.write_text(
        '[[target]]\nname = "b"\nbase = "qemu-cortex-m3"\nrunner = "serial"\nline = "-"\n'
        'board = "./ports/mine"\n'
    )
    (target,) = users_targets(file)
    (package,) = resolve(("submissions/shabal/portable",), CLONE)
    assert isinstance(package, Package)
    with open_workshop(WEAK, target=target) as workshop:
        recipe = Recipe(package, 1, *target_configuration(target), target)
        first = workshop.build(recipe)
        assert first.agent is not None, first.reason + first.diagnostics
        content = first.agent.read_bytes()
        again = workshop.build(recipe)
        assert again.agent is not None
        assert content == again.agent.read_bytes()
        header = tmp_path / "ports" / "mine.h"
        header.write_text(header.read_text() + "#define BOARD_PIECES 60\n")
        changed = workshop.build(recipe)
        assert changed.agent is not None
        assert content != changed.agent.read_bytes()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('name = "b"\nbase = "qemu-cortex-m3"\nrunner = "serial"', "needs `line`"),
        ('name = "qemu-mips"\nbase = "qemu-mips"', "there is a target 'qemu-mips' already"),
        ('name = "b"\nbase = "qemu-mips"\nbaud = 9600', "there is no field baud"),
    ],
)
def test_a_targets_file_that_cannot_be_meant_is_refused(
    tmp_path: Path, text: str, says: str
) -> None:
    """With the entry and the reason."""
    (tmp_path / "targets.toml").write_text(f"[[target]]\n{text}\n")
    with pytest.raises(UsageError, match=says):
        users_targets(tmp_path / "targets.toml")


def test_a_board_takes_nothing_of_its_emulator(tmp_path: Path) -> None:
    """What the base says of counting and trapping is QEMU's, and not true of a real one."""
    file = tmp_path / "targets.toml"
    file.write_text(
        '[[target]]\nname = "b"\nbase = "qemu-cortex-m3"\nrunner = "serial"\nline = "/dev/ttyS0"\n'
    )
    (made,) = users_targets(file)
    assert (made.counts, made.emulator, made.machine, made.traps) == (None, "", "", "")
    assert (made.compiler, made.board) == ("arm-none-eabi-gcc", "mps2")
    assert not any("qemu" in package for package in made.packages)
