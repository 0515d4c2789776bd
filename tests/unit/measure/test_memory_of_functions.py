# SPDX-License-Identifier: MIT
"""The memory that each function of an operation takes, against programs of known use."""

from pathlib import Path

import pytest

from assay.check.engine.instruments import starvable
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.measure.operation.footprint import memory, net_flash
from assay.model import OperationSubject, Package
from assay.model.footprint import FunctionMemory
from assay.package.supercop.load import load
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for

DEEP, LEAP = 3000, 9000
SUBJECT = OperationSubject(
    "crypto_stream", "toy", "ref", (("KEYBYTES", 32), ("NONCEBYTES", 8)), ("", "_xor"), 0
)
HEADER = "#define CRYPTO_KEYBYTES 32\n#define CRYPTO_NONCEBYTES 8\n"
# One function writes all of its array, or its far end alone; the other one has none.
SOURCE = """#include "crypto_stream.h"
int crypto_stream(unsigned char *c, unsigned long long l, const unsigned char *n,
                  const unsigned char *k)
{
    volatile unsigned char room[%d];
    unsigned long long i;
    for (i = 0; i < %d; i++) room[i] = k[i %% 32];
    for (i = 0; i < l; i++) c[i] = room[i %% 8] ^ n[i %% 8];
    return 0;
}
int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long l,
                      const unsigned char *n, const unsigned char *k)
{
    unsigned long long i;
    for (i = 0; i < l; i++) c[i] = m[i] ^ k[i %% 32] ^ n[i %% 8];
    return 0;
}
"""


def recipe_of(tmp_path: Path, target_name: str, source: str) -> Recipe:
    """Write the toy, and say how it is compiled for a target; skip without its tools."""
    (target,) = choose([target_name], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    folder = tmp_path / "crypto_stream" / "toy" / "ref"
    folder.mkdir(parents=True)
    (folder / "api.h").write_text(HEADER)
    (folder / "stream.c").write_text(source)
    package = load(tmp_path, "crypto_stream/toy/ref")
    assert isinstance(package, Package)
    configuration, compiler = target_configuration(target, "-O2", "gcc")
    return Recipe(package, 1, configuration, compiler, target)


def measured(
    tmp_path: Path, target_name: str, source: str, *, heap: bool = False
) -> dict[str, FunctionMemory]:
    """Build the toy for a target, and measure its functions; `heap`: allocations are seen."""
    recipe = recipe_of(tmp_path, target_name, source)
    with open_workshop(strongest_jail(), target=recipe.target) as workshop:
        build = workshop.build(starvable(recipe) if heap else recipe)
        assert build.ok, build.reason
        with workshop.connector(build)() as agent:
            return {one.function: one for one in memory(agent, SUBJECT)}


TARGETS = ("native", "qemu-riscv32", pytest.param("simavr-atmega1281", marks=pytest.mark.slow))


@pytest.mark.parametrize("target", TARGETS)
def test_each_function_has_its_own_stack(tmp_path: Path, target: str) -> None:
    """An array of 600 or 3,000 bytes in one function is none of the other's."""
    size = 600 if "avr" in target else DEEP
    found = measured(tmp_path, target, SOURCE % (size, size))
    deep, flat = found["crypto_stream"], found["crypto_stream_xor"]
    assert size <= deep.stack_bytes <= size + 200
    assert 0 <= flat.stack_bytes <= 200
    assert not deep.is_least


def test_what_is_leapt_over_counts_too(tmp_path: Path) -> None:
    """Of 9,000 bytes the code writes 8 at the far end, and reads the others never."""
    found = measured(tmp_path, "native", SOURCE % (LEAP, 8))
    assert LEAP - 200 <= found["crypto_stream"].stack_bytes <= LEAP + 200


def test_more_than_all_that_is_painted_is_said_to_be_at_least_so_much(tmp_path: Path) -> None:
    """600 KiB are more than the 512 that are painted."""
    found = measured(tmp_path, "native", SOURCE % (600 << 10, 600 << 10))
    assert found["crypto_stream"].is_least
    assert not found["crypto_stream_xor"].is_least


ALLOCATING = """#include <stdlib.h>
#include "crypto_stream.h"
int crypto_stream(unsigned char *c, unsigned long long l, const unsigned char *n,
                  const unsigned char *k)
{
    unsigned char *one, *two;
    unsigned long long i;
    for (i = 0; i < 3; i++) {
        one = malloc(400);
        two = malloc(600);
        if (!one || !two) return -1;
        one[i] = k[i], two[i] = n[i];
        c[i] = one[i] ^ two[i];
        free(one), free(two);
    }
    return 0;
}
""" + SOURCE[SOURCE.index("int crypto_stream_xor") :].replace("%%", "%")


@pytest.mark.parametrize("target", [*TARGETS, "qemu-cortex-m0"])
def test_each_function_has_its_own_heap(tmp_path: Path, target: str) -> None:
    """Three times two blocks of 1,000 bytes together, with what keeps them apart."""
    found = measured(tmp_path, target, ALLOCATING, heap=target == "native")
    heap, none = found["crypto_stream"], found["crypto_stream_xor"]
    assert heap.allocations == 6
    assert heap.heap_bytes is not None
    assert 1000 <= heap.heap_bytes <= 1100
    assert (none.allocations, none.heap_bytes) == (0, 0)


def test_where_nobody_sees_allocations_they_are_unknown(tmp_path: Path) -> None:
    """Of a package that is linked as always, with the C library's own."""
    found = measured(tmp_path, "native", ALLOCATING)
    assert {one.allocations for one in found.values()} == {None}


UNUSED = """
const unsigned char table[9000] = {1};
int unused(int at) { return table[at]; }
"""


@pytest.mark.parametrize(
    "target", ["native", "qemu-riscv32", "qemu-cortex-m4", "simavr-atmega1281"]
)
def test_what_nothing_refers_to_is_not_in_flash(tmp_path: Path, target: str) -> None:
    """A table of 9,000 bytes, which only a function has that nobody calls."""
    recipe = recipe_of(tmp_path, target, SOURCE % (8, 8) + UNUSED)
    with open_workshop(strongest_jail(), target=recipe.target) as workshop:
        found = net_flash(workshop, recipe, SUBJECT)
    assert found is not None
    assert 0 < found < 3000
