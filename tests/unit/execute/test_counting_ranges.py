# SPDX-License-Identifier: MIT
"""Finding a package's functions in a linked agent: local names, aliases, labels, the runtime."""

import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from assay.elf.code import code_symbols
from assay.elf.reading import ObjectError
from assay.execute.ranges import RUNTIME, RUNTIME_NAME, SymbolError, ranges_of, traced_ranges

Compile = Callable[..., list[Path]]
START = """
void one(void), other(void);
void *memcpy(void *, const void *, unsigned long);
static __attribute__((noinline)) void step(void) { __asm__ volatile("nop\\n nop"); }
void _start(void) { step(); one(); other(); for (;;) ; }
"""
ONE = """
static __attribute__((noinline)) void step(void) { __asm__ volatile("nop"); }
static __attribute__((noinline)) void only_here(void) { __asm__ volatile("nop\\n nop"); }
void one(void) { step(); only_here(); }
__asm__(".text\\nuntyped_label: nop\\n nop\\n ret");
"""
OTHER = """
static __attribute__((noinline)) void step(void) { __asm__ volatile("nop\\n nop\\n nop"); }
void other(void) { step(); }
void also_other(void) __attribute__((alias("other")));
"""
COPYING = """
void *memcpy(void *to, const void *from, unsigned long n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    while (n--)
        *t++ = *f++;
    return to;
}
unsigned __mulsi3(unsigned a, unsigned b) { return a + b; }
"""


@pytest.fixture
def build(tmp_path: Path) -> Compile:
    """Give a function that compiles texts and links them: the objects, then the program."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")

    def make(*texts: str, options: tuple[str, ...] = ()) -> list[Path]:
        made = []
        for number, text in enumerate(texts):
            source = tmp_path / f"part{number}.c"
            source.write_text(text)
            made.append(source.with_suffix(".o"))
            words = ["gcc", "-O1", "-fno-builtin", *options, "-c", str(source)]
            subprocess.run([*words, "-o", str(made[-1])], check=True)
        program = tmp_path / "program"
        link = ["gcc", "-nostdlib", "-static", "-no-pie", *map(str, made), "-o", str(program)]
        subprocess.run(link, check=True)
        return [*made, program]

    return make


def test_local_names_are_told_apart_by_their_neighbours(build: Compile) -> None:
    """Three files have a function `step`; each object gets its own."""
    start, one, other, copying, program = build(START, ONE, OTHER, COPYING)
    places = {}
    for path in (start, one, other):
        (place,) = [r for r in ranges_of(program, [path]) if r.name == "step"]
        places[path] = place
    assert len({place.start for place in places.values()}) == 3
    assert copying.exists()
    linked = sorted(one.address for one in code_symbols(program) if one.name == "step")
    found = sorted((place.start, place.end) for place in places.values())
    assert all(start <= at < end for (start, end), at in zip(found, linked, strict=True))


def test_sections_of_their_own_are_told_apart_as_well(build: Compile) -> None:
    """With a section for each function there is no neighbour in it; the file's others help."""
    *objects, program = build(START, ONE, OTHER, COPYING, options=("-ffunction-sections",))
    found = {}
    for path in objects[:3]:
        (found[path],) = [r.start for r in ranges_of(program, [path]) if r.name == "step"]
    assert len(set(found.values())) == 3


def test_a_section_is_covered_without_gaps(build: Compile) -> None:
    """Code behind a label that nobody declared as a function belongs to the one before it."""
    _, one, *_, program = build(START, ONE, OTHER, COPYING)
    mine = [r for r in ranges_of(program, [one]) if r.name != RUNTIME]
    assert {"one", "step", "only_here"} == {r.name for r in mine}
    for before, after in pairwise(mine):
        assert before.end == after.start
    section = next(s.section_bytes for s in code_symbols(one))
    assert sum(r.end - r.start for r in mine) == section


def test_an_alias_is_counted_once(build: Compile) -> None:
    """Two names at one address are one range."""
    _, _, other, _, program = build(START, ONE, OTHER, COPYING)
    names = [r.name for r in ranges_of(program, [other]) if r.name != RUNTIME]
    assert len(names) == 2
    assert "step" in names


def test_the_runtime_is_an_item_of_its_own(build: Compile) -> None:
    """Unless the package has such a function itself."""
    _, one, _, copying, program = build(START, ONE, OTHER, COPYING)
    runtime = [r for r in ranges_of(program, [one]) if r.name == RUNTIME]
    assert len(runtime) == 2
    own = ranges_of(program, [one, copying])
    assert [r.name for r in own if r.name == RUNTIME] == []
    assert {"memcpy", "__mulsi3"} <= {r.name for r in own}


def test_a_program_without_the_package_is_refused(build: Compile, tmp_path: Path) -> None:
    """Counting nothing would look like counting zero."""
    *_, program = build(START, ONE, OTHER, COPYING)
    stranger = tmp_path / "stranger.o"
    words = ["gcc", "-xc", "-c", "-", "-o", str(stranger)]
    subprocess.run(words, input="void stranger(void) { }", text=True, check=True)
    with pytest.raises(SymbolError, match="none of the package"):
        ranges_of(program, [stranger])


def test_what_is_no_object_file_is_told(tmp_path: Path) -> None:
    """With its name."""
    broken = tmp_path / "broken.o"
    broken.write_bytes(b"\x7fELF" + bytes(8))
    for path in (broken, tmp_path / "absent.o"):
        with pytest.raises(ObjectError, match=path.name):
            code_symbols(path)


@pytest.mark.parametrize(
    "name",
    [
        "memcpy", "__memcpy_avx_unaligned_erms", "__aeabi_memcpy4", "__aeabi_uidiv",
        "__udivmodsi4", "__mulsi3", "_restgpr_30_x", "__prologue_saves__", "__aeabi_lmul",
        "__bswapsi2", "memset",
        "__tablejump2__", "__riscv_save_3", "__clzsi2", "__umulhisi3", "__ashldi3",
    ],
)  # fmt: skip
def test_names_of_the_runtime(name: str) -> None:
    """What compilers call without being asked, and what copies."""
    assert RUNTIME_NAME.match(name)


@pytest.mark.parametrize("name", ["shabal", "copy", "main", "agent_memory", "multiply", "_start"])
def test_names_that_are_not_of_the_runtime(name: str) -> None:
    """A package's own names are its own."""
    assert RUNTIME_NAME.match(name) is None


def test_what_a_package_calls_is_neither_its_own_nor_the_agents(build: Compile) -> None:
    """A trace follows it from the package alone; no two ranges overlap."""
    start, one, *_, program = build(START, ONE, OTHER, COPYING)
    package, agent = traced_ranges(program, (one,), (start,))
    assert {"one", "only_here"} <= {each.name for each in package}
    assert "_start" in {each.name for each in agent}
    (other,) = (each for each in code_symbols(program) if each.name == "other")
    every = sorted((*package, *agent), key=lambda each: each.start)
    assert all(each.end <= after.start for each, after in pairwise(every))
    assert not any(each.start <= other.address < each.end for each in every)
