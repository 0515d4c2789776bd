# SPDX-License-Identifier: MIT
"""Agents on another machine: this one, behind an OpenSSH server that the test starts."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.execute.ssh_server import Server, serving, wait_for

from assay.check.session import describe_stream as describe
from assay.errors import MachineError
from assay.execute import remote
from assay.execute.agent import Agent, AgentFault, AgentLost, AgentSilent
from assay.execute.jail import Jail, JailMode
from assay.execute.opening import Placing, confinement, open_agent, open_pipe
from assay.execute.ssh import Posix
from assay.model import Runner, Target
from assay.model.wire import StreamFunction
from assay.targets.catalogue import native

CLONE = Path(__file__).resolve().parents[3]
WEAK = Jail(JailMode.LIMITS_ONLY)
# What the server does with the command of each key before it runs it.
FORCED = {
    "there": "",
    "chatty": "echo Welcome to the machine; echo assay:; ",
    "full": "ulimit -f 2; ",
}


class Naughty(IntEnum):
    """What keysetup of the agent in conftest.py does."""

    READ = 1
    HANG = 3
    EXIT = 4
    PRINT = 5
    KILL = 8
    SAY_AND_EXIT = 9


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with a key for each of FORCED."""
    rest = 'exec sh -c \\"$SSH_ORIGINAL_COMMAND\\"'
    forced = {name: f"{first}{rest}" if first else "" for name, first in FORCED.items()}
    with serving(tmp_path_factory.mktemp("ssh"), forced) as started:
        yield started


def target(line: str = "there") -> Target:
    """Describe this machine as one behind ssh."""
    return replace(native(), name="my-machine", runner=Runner.SSH, line=line)


@pytest.fixture
def launch(server: Server, naughty: Path) -> Iterator[Callable[..., Agent]]:
    """Give a function that launches the agent of conftest.py there."""
    assert server.there.exists()
    living: list[Agent] = []

    def start(*, seconds: float = 20.0, placing: Placing | None = None) -> Agent:
        pipe = open_pipe(target(), naughty, WEAK, placing or Placing(17, 40))
        living.append(Agent(pipe, seconds))
        return living[-1]

    yield start
    for agent in living:
        agent.close()


def ask(agent: Agent, what: Naughty, n: int = 0) -> None:
    """Make the agent's keysetup do something, now."""
    agent.call(StreamFunction.KEYSETUP, (None, agent.buffer("key", 16, modulus=1)), (what, n, 0))
    agent.flush()


def test_an_agent_there_answers_as_one_here(launch: Callable[..., Agent]) -> None:
    """Description, large buffers, guard pages and a quiet end; a second one at once."""
    first, second = launch(), launch(placing=Placing(4095, 2047, cpu=0))
    assert describe(first) == describe(second)
    data = os.urandom(1 << 20)
    for agent in (first, second):
        large = agent.buffer("large", len(data))
        agent.write(large, data)
        assert data == agent.read(large)
        with pytest.raises(AgentFault, match="SIGSEGV"):
            ask(agent, Naughty.READ, 16)
        assert not agent.close()


def test_what_is_printed_there_is_no_answer(launch: Callable[..., Agent]) -> None:
    """It is bounded, kept, and told when the agent ends badly."""
    agent = launch()
    ask(agent, Naughty.PRINT, 100)
    with pytest.raises(AgentLost, match=r"exited with code 3; it printed: a line that"):
        ask(agent, Naughty.SAY_AND_EXIT)
    with pytest.raises(AgentLost, match="died of SIGKILL"):
        ask(launch(), Naughty.KILL)
    with pytest.raises(AgentLost, match="SIGXFSZ"):
        ask(launch(), Naughty.PRINT, 100_000)


def test_a_hanging_agent_is_killed_there(server: Server, launch: Callable[..., Agent]) -> None:
    """The bench gives up in time, and nothing is left running."""
    agent = launch(seconds=1.0)
    with pytest.raises(AgentSilent):
        ask(agent, Naughty.HANG)
    assert wait_for(lambda: not any("./" in line for line in server.processes()))


def test_the_agent_is_copied_once(
    launch: Callable[..., Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second launch needs no more than a session."""
    launch()
    monkeypatch.setattr(Posix, "copy", lambda *_: pytest.fail("copied again"))
    launch()


def test_nothing_is_left_there(server: Server, launch: Callable[..., Agent]) -> None:
    """At the end the folder is removed."""
    launch().close()
    assert list(server.there.iterdir())
    remote.close_connections()
    assert wait_for(lambda: not list(server.there.iterdir()))
    assert wait_for(lambda: not server.processes())


def test_nothing_is_left_there_when_the_bench_is_killed(server: Server, naughty: Path) -> None:
    """With kill -9, in the middle of a call that never returns."""
    remote.close_connections()
    script = (
        "import sys; from pathlib import Path; from msgspec.structs import replace\n"
        "from assay.execute.agent import Agent; from assay.execute.jail import *\n"
        "from assay.execute.opening import open_agent\n"
        "from assay.model import Runner; from assay.targets.catalogue import native\n"
        "from assay.model.wire import StreamFunction\n"
        "target = replace(native(), runner=Runner.SSH, line='there')\n"
        "agent = open_agent(Agent, target, Path(sys.argv[1]), Jail(JailMode.LIMITS_ONLY))\n"
        "agent.call(StreamFunction.KEYSETUP, (None, None), (3, 0, 0)); print('go', flush=True)\n"
        "agent.flush()\n"
    )
    command = [sys.executable, "-c", script, str(naughty)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bench:
        assert bench.stdout is not None
        assert bench.stdout.readline() == "go\n"
        assert wait_for(lambda: any("./" in line for line in server.processes()))
        bench.send_signal(signal.SIGKILL)
    assert wait_for(lambda: not server.processes())
    assert wait_for(lambda: not list(server.there.iterdir()))


def test_a_lost_connection_is_told_and_made_anew(launch: Callable[..., Agent]) -> None:
    """It is no verdict on the code; the next launch connects again."""
    agent = launch()
    remote._connections["there"]._keeper.kill()
    with pytest.raises(MachineError, match="the connection to there is gone"):
        ask(agent, Naughty.PRINT, 1)
    ask(launch(), Naughty.PRINT, 1)


def test_more_sessions_than_the_server_shares_have_their_own(
    launch: Callable[..., Agent],
) -> None:
    """The server takes three on a connection; ssh then makes further ones."""
    agents = [launch() for _ in range(5)]
    for agent in agents:
        ask(agent, Naughty.PRINT, 1)


@pytest.mark.parametrize(
    ("line", "says", "cure"),
    [
        ("refused", "Permission denied", "ssh-copy-id"),
        ("closed", "Connection refused", "`ssh closed true` must work"),
        ("strange", "Host key verification failed", "Connect once by hand"),
        ("full", "the agent cannot be copied to full", "`ssh full true` must work"),
    ],
)
def test_a_machine_that_cannot_be_used_says_why(
    server: Server, naughty: Path, line: str, says: str, cure: str
) -> None:
    """A refused key, nobody listening, an unknown host, no room: with what to do."""
    assert server.there.exists()
    with pytest.raises(MachineError, match=says) as caught:
        open_agent(Agent, target(line), naughty, WEAK)
    assert cure in caught.value.cure


def test_a_host_that_does_not_answer_is_given_up(
    server: Server, naughty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody listens and never says a word."""
    assert server.there.exists()
    monkeypatch.setattr(remote, "CONNECT_SECONDS", 1.0)
    monkeypatch.setattr(remote, "FAREWELL_SECONDS", 0.2)
    started = time.monotonic()
    with pytest.raises(MachineError, match="the machine deaf cannot be used: no answer in time"):
        open_agent(Agent, target("deaf"), naughty, WEAK)
    assert time.monotonic() - started < 8


def test_what_a_login_shell_prints_is_skipped(server: Server, naughty: Path) -> None:
    """A welcome is no part of the protocol, whatever it says."""
    assert server.there.exists()
    with open_agent(Agent, target("chatty"), naughty, WEAK) as agent:
        ask(agent, Naughty.PRINT, 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("host", ["--", "host"]),
        ("me@host:2222", ["-p", "2222", "--", "me@host"]),
        ("ssh://me@host:2222", ["--", "ssh://me@host:2222"]),
        ("fe80::1", ["--", "fe80::1"]),
        ("-oProxyCommand=x", ["--", "-oProxyCommand=x"]),
    ],
)
def test_a_line_is_a_host_and_never_an_option(line: str, words: list[str]) -> None:
    """With a user and a port, where there are any."""
    assert words == remote.destination(line)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("host", "host"),
        ("me@host:2222", "sftp://me@host:2222"),
        ("ssh://me@host:2222", "sftp://me@host:2222"),
        ("me@fe80::1", "me@[fe80::1]"),
    ],
)
def test_sftp_takes_the_same_machine_and_no_path(line: str, word: str) -> None:
    """It would take what follows a colon for a folder."""
    assert word == remote.sftp_destination(line)


TARGETS = """
[[target]]
name = "my-machine"
title = "this machine, behind ssh"
base = "native"
runner = "ssh"
line = "there"
"""


def assay(*words: str) -> subprocess.CompletedProcess[str]:
    """Call the command line."""
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", *words]
    return subprocess.run(command, cwd=CLONE, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "asked", [pytest.param("", marks=pytest.mark.slow), "--only digest --only buffers"]
)
def test_check_and_vectors_work_on_a_machine_over_ssh(
    server: Server, tmp_path: Path, asked: str
) -> None:
    """The whole way: a user's targets file, a build, the checks, verified vectors."""
    remote.close_connections()
    file = tmp_path / "targets.toml"
    file.write_text(TARGETS)
    where = ("--targets-file", str(file), "--target", "my-machine")
    done = assay("check", "submissions/shabal/portable", "--json", *where, *asked.split())
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)
    assert (done.returncode, found["passed"]) == (0, True), done.stdout + done.stderr
    assert found["jail"] == "ssh there, limits only"
    verdicts = {one["check"]: one["verdict"] for one in found["checks"]}
    assert verdicts["digest/verified"] == "pass"
    vectors = CLONE / "submissions" / "salsa20" / "verified.test-vectors"
    done = assay("vectors", "salsa20/ref", "--answers", str(vectors), *where)
    assert (done.returncode, "vectors agree" in done.stdout) == (0, True), done.stderr
    assert wait_for(lambda: not list(server.there.iterdir()))


def test_a_machine_that_is_away_is_no_failed_check(server: Server, tmp_path: Path) -> None:
    """Exit code 2 with the cure, for nothing is known about the package."""
    assert server.there.exists()
    file = tmp_path / "targets.toml"
    file.write_text(TARGETS.replace('line = "there"', 'line = "closed"'))
    done = assay("check", "submissions/shabal/portable", "--targets-file", str(file),
                 "--target", "my-machine")  # fmt: skip
    assert done.returncode == 2
    assert "Connection refused" in done.stderr


def test_every_result_says_that_only_limits_confine() -> None:
    """And where it was obtained."""
    assert confinement(target("me@there"), WEAK) == "ssh me@there, limits only"
