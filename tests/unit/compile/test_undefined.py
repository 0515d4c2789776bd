# SPDX-License-Identifier: MIT
"""A name that nothing compiled defines and a file of the package has: the file is named."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.check.calls.registers import compiled_alone
from assay.compile.failures import located
from assay.compile.reasons import explain
from assay.model import Build, BuildStage, Cell, Package
from assay.package.resolve import Trees, resolve

OWN = "int crypto_hash(unsigned char *o) { return 0; }"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a package of an operation whose source uses `mixed` and does not define it."""
    root = tmp_path / "crypto_hash/toy/ref"
    root.mkdir(parents=True)
    (root / "api.h").write_text("#define CRYPTO_BYTES 32\n")
    (root / "hash.c").write_text(f"extern unsigned mixed(unsigned);\n{OWN}\n")
    return root


def loaded(folder: Path) -> Package:
    """Load it."""
    (found,) = resolve(("crypto_hash/toy/ref",), folder, trees=Trees((folder.parents[2],)))
    assert isinstance(found, Package)
    return found


def failed(folder: Path, name: str = "mixed") -> Build:
    """Give the record of a build that did not link, after the file was looked for."""
    reason, cure = explain(f"undefined reference to `{name}'", "link")
    build = Build(Cell("toy/ref", 1, "c"), BuildStage.LINK, None, None, "", "", "limits", 0.0)
    return located(replace(build, reason=reason, cure=cure), loaded(folder))


@pytest.mark.parametrize(
    ("file", "text", "cause", "cure"),
    [
        ("mix.asm", "global mixed\nmixed:\n ret\n", "NASM or yasm", "GNU assembler"),
        ("mix.nasm", "mixed:\n ret\n", "NASM or yasm", "GNU assembler"),
        ("src/mix.c", "unsigned mixed(unsigned a)\n{ return a; }", "that folder", "assay init"),
        ("mix.C99", "unsigned mixed(unsigned a) { return a; }", "ending .C99", "ending that is"),
        ("mix.c", "inline unsigned mixed(unsigned a) { return a; }", "C99", "static inline"),
        ("mix.c", "static unsigned mixed(unsigned a) { return a; }", "static", "Remove"),
        ("mix.s", "#define L mixed\n.globl mixed\nmixed:\n ret\n", "not preprocessed", ".S"),
        ("mix.S", "mixed:\n ret\n", "not global", ".globl mixed"),
        (
            "mix.c",
            "#if 0\nunsigned mixed(unsigned a) { return a; }\n#endif",
            "in this build",
            "#if",
        ),
    ],
)
def test_the_file_that_has_the_name_is_named_with_cause_and_cure(
    folder: Path, file: str, text: str, cause: str, cure: str
) -> None:
    """Nobody is told to add a source that is there."""
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text(text)
    build = failed(folder)
    assert file in build.reason
    assert cause in build.reason
    assert cure in build.cure
    assert "Add the source file" not in build.cure


def test_a_call_or_a_prototype_is_no_definition(folder: Path) -> None:
    """Where no file has it, a source file is missing indeed."""
    (folder / "notes.txt").write_text("mixed(a) is called by hash.c;\nunsigned mixed(unsigned);\n")
    assert failed(folder).cure == "Add the source file that defines mixed to the package."


@pytest.mark.parametrize(
    "said",
    [
        "x.c:4:9: error: use of C99 long long integer constant [-Wlong-long]",
        "x.c:3:1: error: ISO C90 does not support 'long long' [-Wlong-long]",
        "x.c:3:1: error: 'long long' is an extension when C99 mode is not enabled",
    ],
)
def test_the_cure_for_64_bits_in_ansi_c_is_the_standard_that_has_them(said: str) -> None:
    """As in the HOWTO, section 5.3.1."""
    assert "std = -std=c99" in explain(said, "compilation")[1]


@pytest.mark.parametrize(
    ("file", "text", "alone"),
    [
        ("more.h", "/* nothing */", True),
        ("more.h", "#include <immintrin.h>\n", False),
        ("more.c", 'void f(void) { __asm__("nop"); }', False),
        ("more.S", "nop\n", False),
    ],
)
def test_plain_c_is_told_from_code_with_instructions_of_the_authors(
    folder: Path, file: str, text: str, alone: bool
) -> None:
    """Only authors who chose instructions can be asked for vzeroupper."""
    (folder / file).write_text(text)
    assert compiled_alone(loaded(folder)) is alone


def test_what_headers_make_of_a_name_is_named_as_its_author_writes_it(folder: Path) -> None:
    """SUPERCOP's macros give each implementation names of its own."""
    found = failed(folder, "crypto_hash_toy_ref_timingleaks_extra")
    assert found.reason == "nothing defines crypto_hash_extra"
    assert "timingleaks" not in (found.cure or "")
