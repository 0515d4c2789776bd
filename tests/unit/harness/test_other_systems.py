# SPDX-License-Identifier: MIT
"""The agent of a POSIX system that is not Linux: this machine, without the macros that say so.

What FreeBSD and macOS have in other headers, or do otherwise, this does not show.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.harness.conftest import TOY, build_toy, harness, run
from tests.unit.harness.test_foreign_agents import (
    test_digests_are_the_same_everywhere,
    test_faults_are_told_and_the_agent_lives_on,
    test_hashes_that_interrupt_each_other_agree,
)

from assay.compile.parts import compile_options, link_command
from assay.execute.agent import Agent
from assay.execute.opening import Start
from assay.model import Compiler, Target
from assay.targets.catalogue import native
from assay.timing.clock import find_counters

__all__ = [
    "test_digests_are_the_same_everywhere",
    "test_faults_are_told_and_the_agent_lives_on",
    "test_hashes_that_interrupt_each_other_agree",
]

NO_LINUX = ("-U__linux__", "-U__linux", "-Ulinux", "-U__gnu_linux__")
OF_LINUX = ("seccomp", "prctl", "getauxval", "perf_event")


@pytest.fixture(scope="module")
def target() -> Target:
    """Give this machine."""
    return native()


@pytest.fixture(scope="module")
def workplace() -> Iterator[Path]:
    """Give a folder."""
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def toy_agent(target: Target, gcc: Compiler, workplace: Path) -> Start:
    """Build the agent, then the harness once more for no system in particular."""
    start = build_toy(target, gcc, workplace, TOY)
    sources = harness(target, "hash")
    run(["gcc", *compile_options((), target), *NO_LINUX, "-c", *sources], workplace)
    objects = [path.name for path in workplace.glob("*.o")]
    run([*link_command(gcc, (), target), *objects, "-o", "agent"], workplace)
    return start


def test_nothing_of_linux_is_asked_for(toy_agent: Start, workplace: Path) -> None:
    """Neither its system calls nor its counter are in the agent."""
    assert toy_agent.words
    read = subprocess.run(["nm", "-u", workplace / "agent"], capture_output=True, check=True)
    content = (workplace / "agent").read_bytes() + read.stdout
    assert [name for name in OF_LINUX if name.encode() in content] == []


def test_time_is_read_by_the_processor_and_the_system(launch: Callable[[], Agent]) -> None:
    """The counter of core cycles is Linux's; the others are there."""
    usable = [one.name for one in find_counters(launch()) if one.usable]
    assert "clock_gettime() function" in usable
    assert "perf_event cycle counter" not in usable
