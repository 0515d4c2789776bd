# SPDX-License-Identifier: MIT
"""`randombytes` as sources declare it, on machines whose `size_t` has less than 64 bits."""

import shutil

import pytest
from tests.unit.compile.supercop.conftest import (
    OWN,
    RANDOM,
    Built,
    Hashed,
    Loaded,
    Write,
    hash_source,
)

from assay.check.operation.script import Script
from assay.check.operation.session import OperationSession, describe
from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.compile.supercop.asking import drawing_sources
from assay.execute.agent import Agent
from assay.execute.jail import strongest_jail
from assay.execute.opening import open_agent
from assay.execute.staging import hand_over, staged_folder
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for

DRAWS = "randombytes(out, 4);"
WIDE = '#include "randombytes.h"'
SIZE = "#include <stddef.h>\n#include <stdint.h>\nint randombytes(uint8_t *to, size_t n);"
INTS = "void randombytes(void *to, int n);"
MACRO = {"draw.h": f"{SIZE}\n#define DRAW(to, n) randombytes(to, n)\n"}
SOURCES = {
    "supercop": hash_source(DRAWS, WIDE),
    "size": hash_source(DRAWS, SIZE),
    "own header": hash_source(DRAWS, WIDE) | {"randombytes.h": SIZE},
    "int": hash_source(DRAWS, INTS),
    "macro": hash_source("DRAW(out, 4);", '#include "draw.h"') | MACRO,
}


def digest_on(name: str, write: Write, loaded: Loaded, builder: Builder, source: str) -> bytes:
    """Return what a package computes on a target; skip without its tools."""
    (target,) = choose([name], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    write(OWN, SOURCES[source])
    build = builder.build(Recipe(loaded(OWN), 1, *target_configuration(target), target))
    assert build.ok, f"{build.reason}\n{build.diagnostics}"
    assert build.agent is not None
    with staged_folder("assay-test-") as home:
        path = home / "agent"
        shutil.copyfile(build.agent, path)
        hand_over(path)
        with open_agent(Agent, target, path, strongest_jail()) as agent:
            session = OperationSession(agent, describe(agent))
            out, script = agent.buffer("out", 4, number=1), Script()
            script.seed()
            script.call(session.number(""), [out, out, 0])
            script.read(out, 4)
            return session.run(script)[8:]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["qemu-armv4", "qemu-mips", "simavr-atmega1281"])
def test_random_bytes_come_however_wide_the_length_is(
    name: str, source: str, write: Write, loaded: Loaded, builder: Builder
) -> None:
    """Registers or words that hold the length are others for each width."""
    assert digest_on(name, write, loaded, builder, source) == RANDOM


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_so_they_do_with_options_for_32_bits(
    command: str, write: Write, built: Built, hashed: Hashed
) -> None:
    """The word behind the length on the stack is none of it.

    With gcc package and adapter both bring the function by which such code finds its address.
    """
    write(OWN, SOURCES["size"])
    build = built(OWN, command, arch="-m32")
    if not build.ok and "bits/" in build.diagnostics:
        pytest.skip("needs headers for 32 bits")
    assert hashed(build) == RANDOM


def test_sources_that_cannot_draw_are_not_asked(write: Write, loaded: Loaded) -> None:
    """Nor those of a package that brings the function."""
    other = {"other.c": "/* not randombytes */ int crypto_hash_toy_other;\n"}
    write(OWN, SOURCES["size"] | other)
    assert drawing_sources(loaded(OWN)) == {"hash.c"}
    write(OWN, SOURCES["macro"] | other)
    assert drawing_sources(loaded(OWN)) == {"hash.c", "other.c"}
    own = {"own.c": f"{SIZE}\nint randombytes(uint8_t *to, size_t n) {{ return 0; }}\n"}
    write(OWN, SOURCES["size"] | own)
    assert drawing_sources(loaded(OWN)) == frozenset()
