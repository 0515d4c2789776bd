# SPDX-License-Identifier: MIT
"""What a package's header alone decides is not compiled again after an edit of its sources."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import strongest_jail
from assay.model import Build, Compiler, Configuration
from assay.package.estream import load_estream

TOY = Path(__file__).parents[2] / "whole/corpus" / "sync"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")
O2 = Configuration("gcc", "gcc", "", "-O2", "O2", "O2")
HEADER, SOURCE = "ecrypt-sync.h", "toy.c"
# Where adapters are compiled, and not where the package is, whose dialect is ANSI C.
SEES_SOURCE = f"""
#if !defined __STRICT_ANSI__ && !defined ASSAY_SEEN
#define ASSAY_SEEN
#include "{SOURCE}"
#endif
"""

Edited = Callable[[str, str], tuple[Build, int]]


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edited:
    """Return what appends text to a file, builds, and counts how often adapters were compiled."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    mine = tmp_path / "mine"
    shutil.copytree(TOY, mine)
    ran: list[list[str]] = []

    def run(command: list[str], *rest: object) -> Ended:
        ran.append(command)
        return run_jailed(command, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("assay.compile.kept.run_jailed", run)
    builder = Builder(tmp_path / "agents", strongest_jail())

    def build(name: str, text: str) -> tuple[Build, int]:
        path = mine / name
        path.write_text(path.read_text() + text)
        ran.clear()
        made = builder.build(Recipe(load_estream(mine, place="mine"), 1, O2, GCC))
        return made, len(ran)

    return build


def test_adapters_are_compiled_again_for_another_header_only(edited: Edited) -> None:
    """The agents of two sources are two all the same."""
    first, compiled = edited(SOURCE, "")
    assert first.ok
    assert compiled == 2
    second, compiled = edited(SOURCE, "\nint assay_another;\n")
    assert (second.ok, compiled) == (True, 0)
    assert second.object_hash != first.object_hash
    third, compiled = edited(HEADER, "\n#define ASSAY_ANOTHER 1\n")
    assert (third.ok, compiled) == (True, 2)


def test_all_files_count_where_a_header_sees_a_source(edited: Edited) -> None:
    """An adapter whose header includes a source is compiled again when that was edited."""
    edited(HEADER, SEES_SOURCE)
    _, compiled = edited(SOURCE, "\n/* another */\n")
    assert compiled == 3  # once without the sources, which fails, and twice with them


def test_all_files_count_where_a_header_looks_for_others(edited: Edited) -> None:
    """`__has_include` may see what was hidden."""
    edited(HEADER, "\n#ifdef __has_include\n#endif\n")
    _, compiled = edited(SOURCE, "\n/* another */\n")
    assert compiled == 2
