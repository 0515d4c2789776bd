# SPDX-License-Identifier: MIT
"""The std line: what a package may ask of the compiler, and what it may not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.package.builds.makefile import is_allowed
from assay.package.estream import load_estream

ALLOWED = [
    *("-ansi", "-std=c89", "-std=c99", "-std=gnu99", "-std=gnu17", "-std=iso9899:1990"),
    *("-pedantic", "-pedantic-errors", "-W", "-Wall", "-Wextra", "-Wno-unused", "-Wformat=2"),
    *("-Wno-error=long-long", "-Wc++-compat", "-Wpadded", "-Wlong-long", "-Walloca"),
    *("-DNDEBUG", "-D_GNU_SOURCE=1", "-DROUNDS=(20 - 8)", "-DNAME='x'", "-UNDEBUG"),
    *("-fno-strict-aliasing", "-fwrapv", "-fsigned-char", "-Wa,-Av9e"),
]
REFUSED = [
    *("-O3", "-Ofast", "-mavx2", "-march=native", "-m32", "-funroll-loops", "-ffast-math"),
    *("-fstrict-aliasing", "-fomit-frame-pointer", "--param", "max-unroll-times=8", "-flto"),
    *("-Wl,-T,evil.ld", "-Wl", "-Wa,-I,/", "-Wa", "-Wp,-DX", "-Wp", "-Wa,-Av9e,-I/"),
    *("-Xlinker", "-Xassembler", "-T", "evil.ld", "evil.o", "@file", "-", ""),
    *("-B.", "-specs=evil", "-fplugin=evil.so", "-wrapper", "-save-temps", "-o", "-oevil", "-E"),
    *("-S", "-x", "-include", "evil.h", "-I.", "-isystem", "-L.", "-lm", "-g", "-pg", "-v"),
    *("-std=evil", "-std=", "-stdlib=libc++", "-D", "-U", "-D1=2", "-DX=$(evil)", "-DX=`evil`"),
    *("-DX=\\", "-DX=1\n-O3", "-DX(a)=a", "-Wall\n", "-frandom-seed=1", "-fsanitize=address"),
]


@pytest.mark.parametrize("option", ALLOWED)
def test_what_says_what_code_means_is_passed_on(option: str) -> None:
    """Standards, warnings, macros, and a few words on semantics."""
    assert is_allowed(option)


@pytest.mark.parametrize("option", REFUSED)
def test_what_says_how_to_compile_is_not(option: str) -> None:
    """Optimisation, machines, other programs, other files."""
    assert not is_allowed(option)


@given(st.text(alphabet="-DWUfmOal,=.@/ xp$\\\n", max_size=12))
def test_nothing_that_is_allowed_passes_options_on(option: str) -> None:
    """A comma stands in the value of a macro alone, or before SPARC's architecture."""
    if is_allowed(option):
        assert option.startswith("-")
        assert "\n" not in option
        assert "," not in option or option.startswith(("-D", "-Wa,-Av"))


def test_options_that_are_left_out_are_a_quirk(package: Path) -> None:
    """It names them and says what may stay; the others reach the compiler."""
    makefile = package / "Makefile"
    std = "std = -std=gnu99 -Wl,-T,evil.ld -DX=1 -mavx2"
    makefile.write_text(makefile.read_text().replace("std = -ansi", std))
    loaded = load_estream(package)
    assert loaded.std == ("-std=gnu99", "-DX=1")
    (quirk,) = loaded.quirks
    assert quirk.name == "quirk/std-option"
    assert "-Wl,-T,evil.ld -mavx2" in quirk.message
    assert "-DNAME" in quirk.cure


def test_an_expansion_is_left_out_as_a_whole(package: Path) -> None:
    """The rest of `$(shell id -u)` is no option either, and is named with it."""
    makefile = package / "Makefile"
    std = "std = -ansi $(shell id -u) ${NEWER:-std=c99 -W} -Wall"
    makefile.write_text(makefile.read_text().replace("std = -ansi", std))
    loaded = load_estream(package)
    assert loaded.std == ("-ansi", "-Wall")
    (quirk,) = loaded.quirks
    assert quirk.name == "quirk/std-expansion"
    assert "$(shell id -u) ${NEWER:-std=c99 -W};" in quirk.message


def test_many_and_long_options_are_named_in_part(package: Path) -> None:
    """A Makefile of 64 MB makes no message of 64 MB."""
    makefile = package / "Makefile"
    std = f"std = {' '.join(f'-f{number:090}' for number in range(1000))}"
    makefile.write_text(makefile.read_text().replace("std = -ansi", std))
    (quirk,) = load_estream(package).quirks
    assert "and 992 more" in quirk.message
    assert len(quirk.message) < 1000


def test_every_shipped_package_has_nothing_left_out() -> None:
    """Their std lines say the dialect only."""
    root = Path(__file__).resolve().parents[3]
    for makefile in sorted((root / "submissions").glob("**/Makefile")):
        loaded = load_estream(makefile.parent, tree_root=root)
        assert "quirk/std-option" not in {quirk.name for quirk in loaded.quirks}
        assert loaded.std
