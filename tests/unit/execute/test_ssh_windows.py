# SPDX-License-Identifier: MIT
"""Windows behind ssh, played by this machine: a server whose shell is wine's cmd.exe.

What a real server does besides is in docs/reference/targets.md, as not seen.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.execute.ssh_server import Server, serving, wait_for
from tests.unit.harness.conftest import build_toy

from assay.errors import MachineError
from assay.execute import remote
from assay.execute.agent import Agent
from assay.execute.jail import Jail, JailMode
from assay.execute.opening import Placing, open_agent
from assay.execute.protocol import Request
from assay.execute.ssh import WINDOWS
from assay.model import Compiler, Runner, Target
from assay.targets import wine
from assay.targets.catalogue import catalogue, look_for, users_targets
from assay.toolchain.survey import examine

CLONE = Path(__file__).resolve().parents[3]
WEAK = Jail(JailMode.LIMITS_ONLY)
PATIENCE_SECONDS = 300  # on a machine with much else to do, where wine ends slowly
MINUTES_SECONDS = 180
LONGEST_LINE = 8191
# What the server runs for its key: sftp as it was asked for, everything else by cmd.exe, which
# has pipes of Windows, as it has below a server of Windows.
SHELL = """\
#!/bin/sh
cd {home} || exit 1
case $SSH_ORIGINAL_COMMAND in
*sftp-server) exec $SSH_ORIGINAL_COMMAND ;;
esac
export WINEPATH='c:\\windows\\system32'
exec {words}
"""
RELAY = r"""
#include <stdio.h>
#include <windows.h>
static HANDLE there, back;
static char line[20000] = "cmd.exe /d /c ";
static DWORD pass(HANDLE from, HANDLE to)
{
    static __thread char part[1 << 16];
    DWORD got, put, at;
    while (ReadFile(from, part, sizeof part, &got, NULL) && got)
        for (at = 0; at < got; at += put)
            if (!WriteFile(to, part + at, got - at, &put, NULL)) return 0;
    return 0;
}
static DWORD WINAPI feed(void *to)
{
    pass(GetStdHandle(STD_INPUT_HANDLE), to);
    CloseHandle(to);
    return 0;
}
int main(void)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA start = {sizeof start};
    PROCESS_INFORMATION child;
    HANDLE to, from;
    DWORD code = 1;
    size_t at = lstrlenA(line);
    CreatePipe(&there, &to, &inherited, 1 << 16);
    CreatePipe(&from, &back, &inherited, 1 << 16);
    SetHandleInformation(to, HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(from, HANDLE_FLAG_INHERIT, 0);
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = there;
    start.hStdOutput = back;
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    GetEnvironmentVariableA("SSH_ORIGINAL_COMMAND", line + at, sizeof line - at);
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) return 1;
    CloseHandle(there);
    CloseHandle(back);
    CloseHandle(CreateThread(NULL, 0, feed, to, 0, NULL));
    pass(from, GetStdHandle(STD_OUTPUT_HANDLE));
    WaitForSingleObject(child.hProcess, INFINITE);
    GetExitCodeProcess(child.hProcess, &code);
    ExitProcess(code);
}
"""
TARGETS = """
[[target]]
name = "my-windows"
title = "Windows, behind ssh"
base = "windows-amd64"
runner = "ssh"
line = "windows"
"""
HANGING = r"""
#include "toy.h"
#include <windows.h>
void toy_init(toy_context *cc, unsigned what)
{
    DWORD_PTR ours = 0, all = 0;
    GetProcessAffinityMask(GetCurrentProcess(), &ours, &all);
    cc->state = ours;
    while (what == 11) { }
}
void toy(toy_context *cc, const void *data, size_t len) { (void)cc, (void)data, (void)len; }
void toy_close(toy_context *cc, unsigned ub, unsigned n, void *dst)
{
    (void)ub, (void)n;
    *(unsigned long long *)dst = cc->state;
}
"""


class Function(IntEnum):
    """The functions that are called."""

    INIT = 0
    CLOSE = 2


def windows() -> Target:
    """Give the target of the catalogue; skip without its tools."""
    (found,) = [one for one in catalogue() if one.name == "windows-amd64"]
    installed = look_for(found)
    if not installed.ok:
        pytest.skip(installed.reason)
    return found


def target(line: str = "windows") -> Target:
    """Describe the machine behind ssh."""
    return replace(windows(), name="my-windows", runner=Runner.SSH, line=line)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server that plays Windows for one key, and is what it is for another."""
    windows()
    folder = tmp_path_factory.mktemp("ssh")
    home = folder / "home"
    home.mkdir()
    script = folder / "shell"
    (folder / "relay.c").write_text(RELAY)
    relay = folder / "relay.exe"
    subprocess.run(
        [windows().compiler, "-O1", "-static", folder / "relay.c", "-o", relay], check=True
    )
    script.write_text(SHELL.format(home=home, words=shlex.join(wine.words(relay, 64))))
    script.chmod(0o755)
    with serving(folder, {"windows": str(script), "posix": ""}) as started:
        yield started


@pytest.fixture(scope="module")
def agent_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an agent whose init says where it may run, or hangs."""
    gcc = examine("gcc")
    if not isinstance(gcc, Compiler):
        pytest.skip(f"no gcc: {gcc}")
    folder = tmp_path_factory.mktemp("agent")
    build_toy(windows(), gcc, folder, HANGING)
    return folder / "agent"


def left_there(server: Server) -> list[str]:
    """List what is in the user's folder there."""
    return [one.name for one in (server.folder / "home").iterdir()]


def running_there(server: Server) -> list[int]:
    """List the processes whose folder is below the user's there."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if str((one / "cwd").readlink()).startswith(f"{server.folder}/home/assay-"):
                found.append(int(one.name))
        except OSError:
            continue
    return found


def processors_of(agent: Agent) -> int:
    """Ask for the mask of processors that the agent may use."""
    agent.ask(Request.DESCRIBE, b"", "asking for a description")
    context, out = agent.buffer("ctx", 16, modulus=16), agent.buffer("out", 8)
    agent.call(Function.INIT, (context,), (20,))
    agent.call(Function.CLOSE, (context, out), (0, 0))
    return int.from_bytes(agent.read(out), "little")


def test_an_agent_there_answers_and_leaves_nothing(server: Server, agent_file: Path) -> None:
    """Every byte comes through; what is measured keeps to the last processor there."""
    with open_agent(Agent, target(), agent_file, WEAK) as agent:
        everywhere = processors_of(agent)
        data = os.urandom(1 << 20)
        large = agent.buffer("large", len(data))
        agent.write(large, data)
        assert data == agent.read(large)
        assert len(left_there(server)) == 1
    with open_agent(Agent, target(), agent_file, WEAK, Placing(17, 40, cpu=0)) as agent:
        assert processors_of(agent) == 1 << (everywhere.bit_length() - 1)
    remote.close_connections()
    assert wait_for(lambda: not left_there(server))


def test_nothing_runs_on_when_the_bench_is_killed(server: Server, agent_file: Path) -> None:
    """In the middle of a call that never returns, with requests that nobody reads any more."""
    script = (
        "import sys; from pathlib import Path\n"
        "from assay.execute.agent import Agent; from assay.execute.jail import *\n"
        "from assay.execute.opening import open_agent\n"
        "from assay.execute.protocol import Request\n"
        "from assay.targets.catalogue import users_targets\n"
        "(target,) = users_targets(Path(sys.argv[2]))\n"
        "agent = open_agent(Agent, target, Path(sys.argv[1]), Jail(JailMode.LIMITS_ONLY))\n"
        "agent.ask(Request.DESCRIBE, b'', 'x'); context = agent.buffer('ctx', 16, modulus=16)\n"
        "agent.call(0, (context,), (11,)); print('go', flush=True); agent.flush()\n"
    )
    file = server.folder / "targets.toml"
    file.write_text(TARGETS)
    command = [sys.executable, "-c", script, str(agent_file), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bench:
        assert bench.stdout is not None
        assert bench.stdout.readline() == "go\n"
        assert wait_for(lambda: bool(running_there(server)))
        bench.send_signal(signal.SIGKILL)
    assert wait_for(lambda: not running_there(server), PATIENCE_SECONDS)
    assert wait_for(lambda: not left_there(server), PATIENCE_SECONDS)


def test_the_folder_is_tried_for_minutes_in_a_command_that_the_shell_takes() -> None:
    """What runs there may end late; cmd.exe takes lines of 8191 characters."""
    told = WINDOWS.keeper()
    pauses = [int(pings) - 1 for pings in re.findall(r"if exist \S+ ping -n (\d+) ", told)]
    assert sum(pauses) >= MINUTES_SECONDS
    assert told.count("rmdir /s /q") == 1 + len(pauses)
    assert len(told) < LONGEST_LINE


def test_an_agent_that_arrives_damaged_is_not_started(
    server: Server, agent_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is fetched again to compare it."""
    assert server.folder.exists()
    lying = tmp_path / "sftp"
    lying.write_text('#!/bin/sh\nset -- $(sed -n "s/^get [^ ]* //p" "$3"); echo x >"$1"\n')
    lying.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(MachineError, match="what arrived there differs"):
        open_agent(Agent, target(), agent_file, WEAK)


def test_a_server_with_another_shell_is_refused(server: Server, agent_file: Path) -> None:
    """What it says is shown."""
    assert server.folder.exists()
    with pytest.raises(MachineError, match="the machine posix cannot be used: ") as caught:
        open_agent(Agent, target("posix"), agent_file, WEAK)
    assert "`ssh posix true` must work" in caught.value.cure


def test_a_users_windows_needs_no_wine_and_tells_the_time(tmp_path: Path) -> None:
    """What the catalogue's target has for its emulator is dropped."""
    file = tmp_path / "targets.toml"
    file.write_text(TARGETS)
    (found,) = users_targets(file)
    assert found.tells_time
    assert found.packages == ("gcc-mingw-w64-x86-64", "openssh-client")


def assay(*words: str) -> subprocess.CompletedProcess[str]:
    """Call the command line."""
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", *words]
    return subprocess.run(command, cwd=CLONE, capture_output=True, text=True, check=False)


def test_checks_run_and_time_is_measured(server: Server, tmp_path: Path) -> None:
    """The whole way: a user's file, a cross compiler, all checks, vectors, a campaign."""
    remote.close_connections()
    file = tmp_path / "targets.toml"
    file.write_text(TARGETS)
    where = ("--targets-file", str(file), "--target", "my-windows")
    done = assay("check", "rc4/ref", "--json", *where)
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)
    assert (done.returncode, found["passed"]) == (0, True), done.stdout + done.stderr
    assert found["jail"] == "ssh windows, limits only"
    results = tmp_path / "results"
    done = assay("run", "rc4/ref", "--best", "1", "--launches", "1", "--results", str(results),
                 *where)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    done = assay("show", str(results), "--format", "csv")
    assert "my-windows" in done.stdout, done.stdout + done.stderr
    assert wait_for(lambda: not left_there(server))
