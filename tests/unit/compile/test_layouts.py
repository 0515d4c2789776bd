# SPDX-License-Identifier: MIT
"""The same code at other addresses: what a layout changes, and what it leaves."""

from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from hypothesis import given
from hypothesis import strategies as st

from assay.compile.builder import Builder
from assay.compile.layouts import MOST_GAP_BYTES, arranged, gap_sizes, layouts
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Package

FUNCTION = "ECRYPT_process_bytes"


Layouts = Callable[[], tuple[Path, ...]]


@pytest.fixture
def again(
    builder: Builder, write_package: Callable[..., Package], recipe: Callable[..., Recipe]
) -> Layouts:
    """Give a function that links two layouts of a built package, now or earlier."""
    wanted = recipe(write_package())
    build = builder.build(wanted)
    return lambda: layouts(wanted, build, strongest_jail(), 2)


def address_and_code(agent: Path) -> tuple[int, bytes]:
    """Read where the cipher's function lies in an agent, and its first bytes."""
    with agent.open("rb") as file:
        elf = ELFFile(file)
        symbols = elf.get_section_by_name(".symtab")
        assert isinstance(symbols, SymbolTableSection)
        found = symbols.get_symbol_by_name(FUNCTION)
        assert found is not None
        entry = found[0].entry
        section = elf.get_section(entry["st_shndx"])
        at = entry["st_value"] - section["sh_addr"]
        return entry["st_value"], section.data()[at : at + entry["st_size"]]


def test_a_layout_has_the_same_code_elsewhere(
    builder: Builder, write_package: Callable[..., Package], recipe: Callable[..., Recipe]
) -> None:
    """Every layout puts the cipher at an address of its own, and changes no byte of it."""
    wanted = recipe(write_package())
    build = builder.build(wanted)
    assert build.agent is not None, build.reason
    agents = (build.agent, *layouts(wanted, build, strongest_jail(), 3))
    assert len(agents) == 4
    read = [address_and_code(agent) for agent in agents]
    assert len({address for address, _ in read}) == 4
    assert {len(code) for _, code in read} == {len(read[0][1])}


def test_a_layout_is_linked_once(again: Layouts, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second campaign finds the first one's."""
    first = again()
    monkeypatch.setattr("assay.compile.layouts.link_agent", None)  # to be called is to fail
    assert again() == first


def test_gaps_are_compiled_once_for_all_codes(
    again: Layouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are the same for every package of a compiler: compiling takes longer than linking."""
    first = again()
    before = [path.read_bytes() for path in first]
    for path in first:
        path.unlink()
    monkeypatch.setattr("assay.compile.layouts.run_jailed", None)  # to be called is to fail
    assert [one.read_bytes() for one in again()] == before


@given(st.integers(1, 500), st.integers(2, 12))
def test_an_order_has_every_part_once_and_is_always_the_same(number: int, count: int) -> None:
    """Otherwise the agent lacks a function, or two campaigns measure different things."""
    parts = [f"part{each}" for each in range(count)]
    ordered = arranged(parts, number, ("first", "second"))
    assert sorted(ordered) == sorted([*parts, "first", "second"])
    assert ordered[0] == "first"
    assert ordered == arranged(parts, number, ("first", "second"))


def test_gaps_keep_the_alignment_of_functions_and_reach_other_pages() -> None:
    """A gap that broke it would compare other code than that of a real program."""
    sizes = [size for number in range(1, 200) for size in gap_sizes(number)]
    assert all(size % 16 == 0 and 0 <= size < MOST_GAP_BYTES for size in sizes)
    assert max(sizes) > 3 * 4096
    assert len(set(sizes)) > 100
