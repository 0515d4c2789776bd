# SPDX-License-Identifier: MIT
"""One agent on several compilers, word sizes and byte orders: the bench hears the same.

This shows that the API's headers, the adapters, the agent and the bench do not
depend on the byte order or the word size of the machine below. A cross compiled
agent runs under qemu, outside of the jail: what it contains is ours.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.check.answers.vector_files import (
    compare_vector,
    compute,
    read_combinations,
    vector_arena,
)
from assay.check.answers.vector_inputs import vector_inputs
from assay.check.answers.vector_text import Recorded
from assay.check.session import StreamSession
from assay.check.session import describe_stream as describe
from assay.check.stream.routines import accepted_sizes
from assay.compile.parts import HARNESS, OPTIONS, sources
from assay.execute.agent import Agent, AgentFault
from assay.execute.jail import Jail, JailMode, Limits
from assay.execute.pipe import ProcessPipe
from assay.model import Package, SizeChoice
from assay.model.wire import StreamFunction
from assay.package.discover import load_or_explain
from assay.targets.catalogue import native
from assay.timing.clock import find_counters

ROOT = Path(__file__).parents[3]
PACKAGES = (
    "submissions/salsa20/ref",
    "submissions/hc-128/ref",
    "benchmarks/aes-ctr/ref",
    "submissions/phelix/ref",
)
LIMITS = Limits(memory_bytes=8 << 30)  # qemu reserves address space for its guest
EVERY = 17  # of the vectors; each implementation's own tests take them all


@dataclass(frozen=True)
class Platform:
    """A compiler with its options, and what its agents say about their machine."""

    name: str
    command: tuple[str, ...]
    pointer_bits: int
    little_endian: bool
    emulator: tuple[str, ...] = ()


PLATFORMS = (
    Platform("gcc", ("gcc",), 64, True),
    Platform("clang", ("clang",), 64, True),
    Platform("tcc", ("tcc",), 64, True),
    Platform("gcc-m32", ("gcc", "-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"), 32, True),
    Platform("mips", ("mips-linux-gnu-gcc", "-static"), 32, False, ("qemu-mips",)),
    Platform("s390x", ("s390x-linux-gnu-gcc", "-static"), 64, False, ("qemu-s390x",)),
    Platform("aarch64", ("aarch64-linux-gnu-gcc", "-static"), 64, True, ("qemu-aarch64",)),
)
BuildAgent = Callable[[str], Path]


def load(place: str) -> Package:
    """Load one of our packages."""
    package = load_or_explain(ROOT / place, ROOT, place)
    assert isinstance(package, Package)
    return package


def compile_into(folder: Path, platform: Platform, *words: str) -> None:
    """Compile, or skip where the platform's libraries are not installed."""
    done = subprocess.run(
        [*platform.command, "-w", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode and "-m32" in platform.command:
        pytest.skip(f"-m32 does not work here: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module", params=PLATFORMS, ids=lambda one: one.name)
def platform(request: pytest.FixtureRequest) -> Platform:
    """Give a platform whose tools are installed."""
    asked: Platform = request.param
    for tool in (asked.command[0], *asked.emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    return asked


@pytest.fixture(scope="module")
def build_agent(platform: Platform) -> Iterator[BuildAgent]:
    """Give a function that builds the agent of a package, the harness compiled once."""
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    folder.chmod(0o755)
    harness = [str(HARNESS / source) for source in sources(native(), "stream")]
    compile_into(folder, platform, *OPTIONS, "-c", *harness)
    objects = [f"{Path(source).stem}.o" for source in sources(native(), "stream")]

    def build(place: str) -> Path:
        package = load(place)
        agent = folder / package.selector.replace("/", "-")
        if not agent.exists():
            include = (f"-I{package.root}", f"-I{HARNESS / 'api'}", f"-I{HARNESS}")
            defines = (f"-DECRYPT_API={package.api}.h", "-DECRYPT_VARIANT=1")
            sources = [str(package.root / source) for source in package.sources]
            sources += [
                str(HARNESS / part / f"{package.api}.c") for part in ("packet", "adapters")
            ]
            for number, source in enumerate(sources):
                made = ("-O1", *include, *defines, "-c", source, "-o", f"{number}.o")
                compile_into(folder, platform, "-std=gnu11", *made)
            parts = [f"{number}.o" for number in range(len(sources))]
            compile_into(folder, platform, *parts, *objects, "-o", str(agent))
        return agent

    yield build
    shutil.rmtree(folder)


@pytest.fixture
def connect(platform: Platform, build_agent: BuildAgent) -> Iterator[Callable[[str], Agent]]:
    """Give a function that launches a package's agent."""
    living: list[Agent] = []

    def launch(place: str) -> Agent:
        program = build_agent(place)
        emulator = [shutil.which(tool) or tool for tool in platform.emulator]
        argv = [*emulator, str(program)]
        pipe = ProcessPipe(argv, program.parent, Jail(JailMode.LIMITS_ONLY), LIMITS)
        living.append(Agent(pipe, 60.0))
        return living[-1]

    yield launch
    for agent in living:
        agent.close()


@pytest.mark.parametrize("place", PACKAGES)
def test_the_description_is_the_same_everywhere(
    platform: Platform, connect: Callable[[str], Agent], place: str
) -> None:
    """Names, sizes, flags and functions do not depend on the machine."""
    agent = connect(place)
    assert (agent.pointer_bits, agent.little_endian) == (
        platform.pointer_bits,
        platform.little_endian,
    )
    assert agent.page_bytes >= 4096
    subject = describe(agent)
    package = load(place)
    recorded = read_combinations(package.vectors or Path())
    assert subject.api == package.api
    assert subject.authenticates == (package.api == "ecrypt-sync-ae")
    assert set(accepted_sizes(subject)) == set(recorded)
    assert subject.name in (package.vectors or Path()).read_text()
    assert subject.buffer_bytes == 4096
    assert {"encrypt_bytes", "decrypt_packet"} <= subject.functions


@pytest.mark.parametrize("place", PACKAGES)
def test_the_vectors_are_the_same_everywhere(connect: Callable[[str], Agent], place: str) -> None:
    """A sample of every set, for the first and the last sizes, equals the verified file."""
    agent = connect(place)
    subject = describe(agent)
    recorded = read_combinations(load(place).vectors or Path())
    sizes = accepted_sizes(subject)
    for choice in dict.fromkeys((sizes[0], sizes[-1])):
        agent.forget_buffers()
        session = StreamSession(agent, subject)
        known = {(one.set_number, one.number): one for one in recorded[choice].vectors}
        assert compared(session, choice, known) >= 6


def compared(
    session: StreamSession, sizes: SizeChoice, known: dict[tuple[int, int], Recorded]
) -> int:
    """Compare some vectors of each set; return how many."""
    arena = vector_arena(session)
    chosen = [
        vector
        for place, vector in enumerate(vector_inputs(session.subject, sizes))
        if vector.number == 0 or place % EVERY == 0
    ]
    for vector in chosen:
        record = known[vector.set_number, vector.number]
        assert (
            compare_vector(sizes, record, compute(arena, session.subject, sizes, vector)) is None
        )
    return len(chosen)


def test_guard_pages_work_everywhere(connect: Callable[[str], Agent]) -> None:
    """A write behind a buffer is a fault with the same name and place."""
    agent = connect(PACKAGES[0])
    subject = describe(agent)
    session = StreamSession(agent, subject)
    ctx, key = session.context(), agent.buffer("key", 32)
    out = agent.buffer("out", 60, modulus=1)
    session.call(StreamFunction.KEYSETUP, ctx, key, *SizeChoice(256, 64).bits())
    session.call(StreamFunction.IVSETUP, ctx, key)
    session.call(StreamFunction.ENCRYPT_BYTES, ctx, agent.buffer("in", 64), out, 64)
    with pytest.raises(AgentFault, match=r"SIGSEGV in encrypt_bytes\(ctx, in, out, 64\) at byte"):
        agent.flush()


def test_a_counter_advances_everywhere(connect: Callable[[str], Agent]) -> None:
    """At least the system's clock does."""
    assert any(option.usable for option in find_counters(connect(PACKAGES[0])))
