# SPDX-License-Identifier: MIT
"""The files `candidates` and `compilers`."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.toolchain.listings import (
    read_candidates,
    read_compilers,
    render_candidates,
    render_compilers,
)
from assay.toolchain.probe import Supported
from assay.toolchain.search import CompilerCandidate

LINE = """comp='gcc'; cc='gcc'; archs="{'','-march=k8'}"; opts="{'-O0','-O1 -fx'}";\n"""
OPTIONS = st.lists(st.from_regex(r"[-a-z0-9=+., ]{0,12}", fullmatch=True), max_size=5).map(tuple)


def test_a_line_of_compilers_is_that_of_the_original() -> None:
    """Written by hand from the description of the format."""
    assert (
        render_compilers([Supported("gcc", "gcc", ("", "-march=k8"), ("-O0", "-O1 -fx"))]) == LINE
    )


@given(archs=OPTIONS, opts=OPTIONS)
def test_compilers_are_read_as_they_were_written(
    archs: tuple[str, ...], opts: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Commas and blanks within options are kept."""
    path = tmp_path_factory.getbasetemp() / "compilers"
    written = [Supported("gcc", "gcc-12", archs, opts), Supported("cc", "cc", ("",), ("-fast",))]
    path.write_text(render_compilers(written))
    assert tuple(written) == read_compilers(path)


def test_candidates_may_be_edited(tmp_path: Path) -> None:
    """Lines removed, added, put into comments, with or without the last semicolon."""
    path = tmp_path / "candidates"
    written = render_candidates([CompilerCandidate("gcc", "gcc"), CompilerCandidate("icc", "icc")])
    assert written == "comp='gcc'; cc='gcc';\ncomp='icc'; cc='icc';\n"
    path.write_text("# mine\n\n#comp='icc'; cc='icc';\n comp='gcc' ; cc='/opt/gcc -g'\n")
    with pytest.raises(UsageError):
        read_candidates(path)
    path.write_text("# mine\n\n#comp='icc'; cc='icc';\n comp='gcc'; cc='/opt/gcc -g'\n")
    assert (CompilerCandidate("gcc", "/opt/gcc -g"),) == read_candidates(path)


@pytest.mark.parametrize(
    "line",
    [
        "gcc",
        "comp='gcc';",
        "comp='gcc'; cc='';",
        "comp='gcc'; cc='gcc \"';",
        "comp='gcc'; cc='gcc'; rm -rf x",
        "comp='gcc'; cc='gcc'; archs=\"{''}\";",
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str) -> None:
    """With its number, and what to do."""
    path = tmp_path / "candidates"
    path.write_text(f"comp='gcc'; cc='gcc';\n{line}\n")
    with pytest.raises(UsageError, match=r"candidates, line 2 cannot be read") as caught:
        read_candidates(path)
    assert "assay configure" in caught.value.cure
