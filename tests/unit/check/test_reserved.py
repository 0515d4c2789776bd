# SPDX-License-Identifier: MIT
"""The names that a package must not define: all that the agent itself calls of the C library."""

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from assay.check.object.linked import C_LIBRARY, RESERVED, RESERVED_NAMES
from assay.compile.harness import harness_objects
from assay.targets.catalogue import native
from assay.toolchain.survey import examine


def _names(path: Path) -> tuple[set[str], set[str]]:
    """Give the names that an object defines, and those that it needs."""
    found: tuple[set[str], set[str]] = (set(), set())
    with path.open("rb") as stream:
        for table in ELFFile(stream).iter_sections():
            if isinstance(table, SymbolTableSection):
                for one in table.iter_symbols():
                    found[one["st_shndx"] == "SHN_UNDEF"].add(one.name)
    return found


def test_only_public_names_of_cycle_counters_are_reserved() -> None:
    """Those of libcpucycles and SUPERCOP; Kyber's test code has cpucycles_overhead besides."""
    public = {"cpucycles", "cpucycles_persecond", "cpucycles_implementation", "cpucycles_version"}
    assert public <= RESERVED_NAMES
    assert "cpucycles_overhead" not in RESERVED_NAMES
    assert not "cpucycles_overhead".startswith(RESERVED)


@pytest.mark.parametrize("kind", ["stream", "hash", "operation"])
def test_whatever_the_agent_calls_of_the_c_library_is_reserved(kind: str) -> None:
    """A package with its own strtol would decide what the agent reads from its arguments."""
    gcc = examine("gcc")
    if isinstance(gcc, str):
        pytest.skip(gcc)
    both = [_names(path) for path in harness_objects(gcc, (), native(), kind)]
    own, needed = (set().union(*each) for each in zip(*both, strict=True))
    called = {one for one in needed - own if one and not one.startswith(("_", *RESERVED))}
    assert called - C_LIBRARY - RESERVED_NAMES == set()
