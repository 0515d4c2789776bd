# SPDX-License-Identifier: MIT
"""Looking at C text: properties that hold for any bytes."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.package.builds.makefile import makefile_text, parse_makefile
from assay.package.text import code_of, defines, has_line_comment, includes, macros, read_text

SNIPPETS = st.lists(
    st.sampled_from(
        ['"', "'", "\\", "/*", "*/", "//", "\n", "a(", ")", "{", "#define a ", "x", " "]
    )
).map("".join)


@given(SNIPPETS)
def test_code_has_no_comment_left(text: str) -> None:
    """Removing comments is complete: what remains has none, even if no `/*` is left in strings."""
    assert not has_line_comment(code_of(text).replace("/*", "+*"))


@given(st.binary(max_size=300))
def test_any_bytes_can_be_looked_at(data: bytes) -> None:
    """No text makes the readers fail."""
    code = code_of(data.decode("latin-1"))
    macros(code)
    includes(code)
    defines(code, "main")
    assert len(code) <= len(data)


@pytest.mark.parametrize(
    "unit", ['"', "'", '\\"', "/*", "main(", "main(int", "#", "\n#", " ", "a "]
)
def test_hostile_text_takes_no_time(unit: str) -> None:
    """Time stays linear in the text."""
    text = unit * (400_000 // len(unit))
    begin = time.process_time()
    code = code_of(text)
    macros(code)
    includes(code)
    defines(code, "main")
    has_line_comment(text)
    assert time.process_time() - begin < 10


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("int f(int a) { return a; }", True),
        ("f:\n ret", True),
        ("_f:\n ret", True),
        ("#define f(x) (x)", True),
        ("int f(int a);", False),
        ("int g(void) { return f(1) + 1; }", False),
        ("if (f(x)) { }", False),
        ("#define g(x) f(x)\n#endif\n", False),
        ("int ff(int a) { }", False),
    ],
)
def test_definitions_are_told_from_uses(code: str, expected: bool) -> None:
    """A body, a label or a macro defines; a prototype or a call does not."""
    assert expected == defines(code, "f")


def test_the_last_definition_of_a_macro_counts() -> None:
    """As after preprocessing without conditionals."""
    assert macros("#define A 1\n#define B\n#undef B\n # define A 2\n") == {"A": "2"}


def test_line_ends_are_made_alike(tmp_path: Path) -> None:
    """DOS and old Macintosh files read the same."""
    path = tmp_path / "x"
    path.write_bytes(b"a\r\nb\rc\n")
    assert read_text(path) == "a\nb\nc\n"


@given(
    st.from_regex(r"[a-z0-9][a-z0-9.-]{0,20}", fullmatch=True),
    st.sampled_from(["sync", "sync-ae"]),
    st.sampled_from(["-ansi", "-std=c99", "-std=gnu99 -Wa,-Av9e"]),
)
def test_a_written_makefile_reads_back(name: str, api_type: str, std: str) -> None:
    """The template and the parser agree."""
    settings = parse_makefile(makefile_text(name, api_type, std))
    assert (name, api_type, tuple(std.split())) == (settings.name, settings.type, settings.std)


def test_a_makefile_is_read_as_make_would() -> None:
    """Continued lines, comments, appending, and the last assignment."""
    text = "name=x\nname := y # really\ntype = sync\nstd = -ansi \\\n -g\nstd += -DX='a b'\n"
    settings = parse_makefile(text)
    assert (
        settings.name,
        settings.type,
        settings.std,
        settings.refused,
    ) == ("y", "sync", ("-ansi", "-DX=a b"), ("-g",))
