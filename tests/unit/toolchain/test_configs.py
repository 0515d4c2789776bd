# SPDX-License-Identifier: MIT
"""Config files: six lines each, one per configuration."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.configure.folder import write_configurations
from assay.errors import UsageError
from assay.model import Configuration
from assay.toolchain.configs import (
    configurations,
    load_configurations,
    read_configuration,
    render_configuration,
)
from assay.toolchain.probe import Supported

OPTION = st.from_regex(r"(-[a-zA-Z][a-z0-9=+.-]{0,8}( -[a-z][a-z0-9=.]{0,8})?)?", fullmatch=True)


def test_the_six_lines_are_those_of_the_original() -> None:
    """Written by hand from the description of the format."""
    (made,) = configurations([Supported("gcc", "gcc-12", ("-march=k8",), ("-O3 -fno-x",))])
    expected = (
        "tag = gcc_k8_O3-fno-x\n"
        "testobj = _gcc_k8$(obj)\n"
        "comp = gcc\n"
        "cc = gcc-12\n"
        "arch = -march=k8\n"
        "opt = -O3 -fno-x\n"
    )
    assert expected == render_configuration(made)
    assert made.name == "gcc-12_k8_O3-fno-x"


@given(archs=st.lists(OPTION, max_size=4), opts=st.lists(OPTION, max_size=4))
def test_names_are_unique_whatever_the_options(archs: list[str], opts: list[str]) -> None:
    """Options that a user wrote into `compilers` may be spelt alike."""
    made = configurations([Supported("gcc", "gcc", tuple(archs), tuple(opts))])
    assert len(archs) * len(opts) == len({each.name for each in made})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Empty options too."""
    made = configurations(
        [
            Supported("tcc", "tcc", ("",), ("", "-O2")),
            Supported("gcc", "/opt/my gcc", ("", "-march=armv8-a+crypto"), ("-O0",)),
        ]
    )
    write_configurations(tmp_path, made)
    assert sorted(made, key=lambda each: each.name) == list(load_configurations(tmp_path))


def test_writing_again_replaces_all(tmp_path: Path) -> None:
    """A compiler that was deselected leaves no config file."""
    write_configurations(tmp_path, configurations([Supported("gcc", "gcc", ("",), ("-O0",))]))
    write_configurations(tmp_path, configurations([Supported("tcc", "tcc", ("",), ("-O2",))]))
    assert [path.name for path in tmp_path.iterdir()] == ["configs"]
    assert [each.name for each in load_configurations(tmp_path)] == ["tcc_default_O2"]


def test_a_folder_that_was_not_configured_is_an_error_with_a_cure(tmp_path: Path) -> None:
    """The cure names the script."""
    with pytest.raises(UsageError, match="no configuration") as caught:
        load_configurations(tmp_path)
    assert "assay configure" in caught.value.cure


def test_a_file_of_the_original_is_read(tmp_path: Path) -> None:
    """Without blanks at the ends of lines, or with more of them."""
    path = tmp_path / "gcc-3.3_default_O0.mk"
    path.write_text(
        "tag = gcc_default_O0\ntestobj = _gcc_default$(obj)\n"
        "comp = gcc\ncc = gcc-3.3\narch =\nopt =  -O0\n"
    )
    expected = Configuration("gcc", "gcc-3.3", "", "-O0", "gcc_default_O0", path.stem)
    assert expected == read_configuration(path)


def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A line that is missing is not taken for an empty option."""
    path = tmp_path / "x.mk"
    path.write_text("tag = x\ncc = gcc\n")
    with pytest.raises(UsageError, match=r"x\.mk lacks one of the lines"):
        read_configuration(path)


def test_tags_of_cross_compilers_match_no_native_shortlist() -> None:
    """Their programs do not run here."""
    (made,) = configurations([Supported("gcc", "mips-linux-gnu-gcc", ("",), ("-O0",))])
    assert made.tag == "mips-linux-gnu-gcc_default_O0"
    assert "testobj = _mips-linux-gnu-gcc_default$(obj)" in render_configuration(made)
