# SPDX-License-Identifier: MIT
"""Real agents of small packages in C that tests write, and of shipped packages."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tests.caches import new_cache

from assay.check.operation.session import OperationSession, describe
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.execute.jail import AGENT_LIMITS, strongest_jail
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import hand_over, staged_folder
from assay.model import Build, Compiler, Configuration, Package
from assay.package.supercop.load import load
from assay.timing.agent import TimedAgent
from assay.toolchain.survey import examine

SHIPPED = Path(__file__).resolve().parents[5] / "submissions/supercop"
OPTIONS = Configuration("gcc", "gcc", "", "-O1 -fwrapv -fPIC -fPIE", "gcc_O1", "gcc_O1")
Speaking = Callable[..., AbstractContextManager[OperationSession]]

# Does as the first byte of its message says; all else is the sum of the message.
HASH = """
#include "crypto_hash.h"
#include "randombytes.h"
static unsigned char counted, table[4] = {1, 2, 3, 4};
static volatile unsigned char *volatile nowhere;
static __attribute__((noinline)) unsigned char old(void)
{
    volatile unsigned char room[4096];
    return room[100];
}
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned long long i, sum = 0;
    for (i = 0; i < inlen; ++i)
        sum += in[i];
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(sum + i);
    switch (inlen ? in[0] : 0) {
    case 'r': randombytes(out, crypto_hash_BYTES); break;
    case 'c': out[0] = ++counted; out[1] = table[counted % 4]++; break;
    case 'o': out[0] = old(); break;
    case 'x': return *nowhere;
    case 'e': for (;;) __asm__ volatile("");
    case 'n': return -7;
    }
    return 0;
}
"""


class Drive:
    """Builds packages and launches their agents."""

    def __init__(self, folder: Path, compiler: Compiler) -> None:
        """Keep trees and agents in `folder`."""
        self._folder, self._compiler = folder, compiler
        self._jail = strongest_jail()
        self._builder = Builder(folder / "agents", self._jail)
        self._builds: dict[tuple[Path, str], Build] = {}

    def written(self, place: str, files: dict[str, str]) -> Package:
        """Write a package, and load it."""
        tree = self._folder / f"tree{len(list(self._folder.glob('tree*')))}"
        for name, text in files.items():
            path = tree / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self._loaded(tree, place)

    def shipped(self, place: str) -> Package:
        """Load a package of submissions/supercop/."""
        return self._loaded(SHIPPED, place)

    def _loaded(self, tree: Path, place: str) -> Package:
        found = load(tree, place)
        assert isinstance(found, Package), found
        return found

    def build(self, package: Package) -> Build:
        """Build a package, once."""
        key = (package.root, package.content_hash)
        if key not in self._builds:
            made = self._builder.build(Recipe(package, 1, OPTIONS, self._compiler))
            assert made.ok, f"{made.reason}\n{made.diagnostics}"
            self._builds[key] = made
        return self._builds[key]

    @contextmanager
    def speaking(self, package: Package) -> Iterator[OperationSession]:
        """Launch a package's agent."""
        build = self.build(package)
        assert build.agent is not None
        with staged_folder("assay-test-") as home:
            path = home / "agent"
            shutil.copyfile(build.agent, path)
            hand_over(path)
            with TimedAgent(ProcessPipe([str(path)], home, self._jail, AGENT_LIMITS)) as agent:
                yield OperationSession(agent, describe(agent))


@pytest.fixture(scope="session")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drive]:
    """Give the means to build and launch, with a cache of its own."""
    compiler = examine("gcc")
    if not isinstance(compiler, Compiler):
        pytest.skip(f"gcc: {compiler}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield Drive(tmp_path_factory.mktemp("driven"), compiler)


@pytest.fixture(scope="module")
def obeying(drive: Drive) -> Package:
    """Give a hash of 32 bytes that does what its message says."""
    files = {"api.h": "#define CRYPTO_BYTES 32\n", "hash.c": HASH}
    return drive.written("crypto_hash/obeying/ref", files)


@pytest.fixture
def session(drive: Drive, obeying: Package) -> Iterator[OperationSession]:
    """Give a conversation with the agent of the hash that obeys."""
    with drive.speaking(obeying) as opened:
        yield opened
