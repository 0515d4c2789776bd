# SPDX-License-Identifier: MIT
"""Shortlists and the order they impose."""

import re

import pytest

from assay.errors import UsageError
from assay.toolchain.configs import configurations
from assay.toolchain.options import tag_of, wanted_archs, wanted_opts, wanted_widths
from assay.toolchain.probe import Supported
from assay.toolchain.shortlist import (
    ordered,
    parse_shortlist,
    proposed_shortlist,
    render_shortlist,
    shortlist_names,
    shortlist_text,
)

PROCESSORS = {"amd64": "x86", "i386": "x86", "windows": "x86", "riscv64": "riscv"}


@pytest.mark.parametrize("name", shortlist_names())
def test_lists_have_the_original_form(name: str) -> None:
    """A score in seven columns, a blank, a tag; the highest first, none twice."""
    lines = shortlist_text(name).splitlines()
    assert all(re.fullmatch(r" *\d+ \S+", line) and line[7] == " " for line in lines)
    scores = parse_shortlist(shortlist_text(name))
    assert len(lines) == len(scores)
    assert shortlist_text(name) == render_shortlist(scores)


@pytest.mark.parametrize("name", shortlist_names())
def test_every_tag_is_one_that_configure_can_make(name: str) -> None:
    """A misspelt tag would be silently without effect."""
    processor = PROCESSORS.get(name, name)
    made = {
        tag_of(family, f"{arch} {width}".strip(), opt)
        for family in ("gcc", "clang", "icc", "msvc", "tcc", "cc")
        for arch in wanted_archs(family, processor)
        for width in ("", *wanted_widths(family, processor))
        for opt in wanted_opts(family)
    }
    assert set() == set(parse_shortlist(shortlist_text(name))) - made


def test_amd64_has_as_many_options_as_the_original() -> None:
    """The HOWTO shows 17; three compilers are among the first eight."""
    tags = list(parse_shortlist(shortlist_text("amd64")))
    assert len(tags) == 17
    assert {"gcc", "clang", "tcc"} == {tag.split("_")[0] for tag in tags[:8]}


def test_configurations_are_sorted_by_score_and_the_rest_follows() -> None:
    """Two compilers of a family share a tag and so a score."""
    made = configurations(
        [Supported("gcc", command, ("",), ("-O0", "-O1", "-O2")) for command in ("gcc", "gcc-9")]
    )
    ranked = ordered(made, {"gcc_default_O2": 5, "gcc_default_O1": 7, "gcc_k8_O1": 9})
    assert [(each.configuration.name, each.score) for each in ranked] == [
        ("gcc-9_default_O1", 7),
        ("gcc_default_O1", 7),
        ("gcc-9_default_O2", 5),
        ("gcc_default_O2", 5),
        ("gcc-9_default_O0", 0),
        ("gcc_default_O0", 0),
    ]


def test_a_tag_named_twice_gets_both_scores() -> None:
    """As if the lists of two machines were joined."""
    assert parse_shortlist("      2 a\n      1 b\n\n      3 a\n") == {"a": 5, "b": 1}


def test_a_damaged_line_is_named() -> None:
    """With its number."""
    with pytest.raises(UsageError, match="line 2 of the shortlist"):
        parse_shortlist("      2 a\nnonsense\n")


@pytest.mark.parametrize(
    ("machine", "name"),
    [
        ("x86_64", "amd64"),
        ("i686", "i386"),
        ("aarch64", "aarch64"),
        ("armv7l", "arm"),
        ("riscv64", "riscv64"),
        ("ppc64le", "ppc"),
        ("mips64", "mips"),
        ("sparc64", "sparc"),
        ("parisc64", "hppa"),
        ("s390x", "s390x"),
        ("alpha", "alpha"),
        ("vax", None),
    ],
)
def test_each_machine_is_proposed_its_list(machine: str, name: str | None) -> None:
    """By the name that uname gives."""
    assert name == proposed_shortlist(machine)


def test_an_unknown_list_is_an_error_that_names_the_known_ones() -> None:
    """So that the user need not look for them."""
    with pytest.raises(UsageError, match="no shortlist 'vax'") as caught:
        shortlist_text("vax")
    assert "amd64" in caught.value.cure
