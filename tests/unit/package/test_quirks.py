# SPDX-License-Identifier: MIT
"""Every quirk is found where it is, by its name, and nothing else is."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.package import quirks
from assay.package.estream import load_estream
from assay.package.text import architecture_of


def _quirks(folder: Path) -> list[str]:
    return [quirk.name.removeprefix("quirk/") for quirk in load_estream(folder).quirks]


def _edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


def test_every_quirk_that_a_loader_reports_is_in_the_table_and_every_row_is_reported() -> None:
    """A name that is misspelt would only be seen by whoever has such a package."""
    sources = Path(quirks.__file__).parent.rglob("*.py")
    named = (re.findall(r"\bquirk\(\s*\"([a-z0-9-]+)\"", one.read_text()) for one in sources)
    reported = {*quirks.LOOKS, *(name for names in named for name in names)}
    assert reported == quirks.known_quirks().keys()


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("ecrypt-sync.h", '#define ECRYPT_NAME "Toy"', "", "no-name"),
        ("ecrypt-sync.h", '#define ECRYPT_PROFILE "_____"', "", "no-profile"),
        (
            "ecrypt-sync.h",
            "#define ECRYPT_PROFILE",
            "/*\n#define ECRYPT_PROFILE */ #line 9",
            "no-profile",
        ),
        ("ecrypt-sync.h", "#define ECRYPT_MAXVARIANT 1", "", "no-maxvariant"),
        ("ecrypt-sync.h", "#define ECRYPT_SYNC\n", "", "no-guard"),
        ("ecrypt-sync.h", "ECRYPT_encrypt_blocks(c", "x_blocks(c", "old-header"),
        (
            "ecrypt-sync.h",
            "#undef ECRYPT_GENERATES_KEYSTREAM",
            (
                "#define ECRYPT_GENERATES_KEYSTREAM\n"
                "void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *ks, u32 length);\n"
                "#define ECRYPT_keystream_blocks(c, k, n) ECRYPT_keystream_bytes(c, k, 4 * (n))\n"
            ),
            "keystream-missing",
        ),
        (
            "ecrypt-sync.h",
            "#undef ECRYPT_GENERATES_KEYSTREAM",
            "#define ECRYPT_keystream_blocks(c, k, n) \\\n ECRYPT_AE_keystream_bytes(c, k, n)",
            "keystream-misnamed",
        ),
        (
            "ecrypt-sync.h",
            "_MAXVARIANT 1",
            "_MAXVARIANT 2\n#define ECRYPT_VARIANT 1",
            "variant-fixed",
        ),
        ("toy.c", "void ECRYPT_init", "// init\nvoid ECRYPT_init", "ansi-line-comments"),
        ("toy.c", "void ECRYPT_init", "u64 x;\nvoid ECRYPT_init", "ansi-u64"),
        ("toy.c", "ECRYPT_keysetup", "SETUP_NAME", "keysetup-missing"),
        ("toy.c", "void ECRYPT_init", '#include "../x.h"\nvoid ECRYPT_init', "outside-include"),
        ("Makefile", "std = -ansi", "", "no-std"),
        ("Makefile", "std = -ansi", "std = -ansi $(shell id)", "std-expansion"),
        ("Makefile", "name = toy", "name = other", "source-name"),
        ("Makefile", "name = toy", "all:", "no-makefile"),
    ],
)
def test_one_departure_gives_one_quirk(
    package: Path, file: str, old: str, new: str, expected: str
) -> None:
    """The package is otherwise clean."""
    _edit(package, file, old, new)
    assert [expected] == _quirks(package)


def test_line_comments_hidden_in_strings_and_comments_are_none(package: Path) -> None:
    """Only what a C89 compiler would stumble over counts."""
    with (package / "toy.c").open("a") as file:
        file.write('/* see http://example.org // */ static const char *u = "http://x";\n')
    assert _quirks(package) == []


def test_u64_under_c99_is_no_quirk(package: Path) -> None:
    """The std line permits it."""
    _edit(package, "toy.c", "void ECRYPT_init", "u64 x; // fine\nvoid ECRYPT_init")
    _edit(package, "Makefile", "-ansi", "-std=c99")
    assert _quirks(package) == []


@pytest.mark.parametrize(
    "definition",
    [
        "void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *k, u32 n)\n{ }\n",
        "void ECRYPT_keystream_bytes(ctx, k, n) ECRYPT_ctx *ctx; u8 *k; u32 n; { }\n",
        "void ECRYPT_keystream_bytes(\n ECRYPT_ctx *ctx, /* (c) */ u8 *k, u32 n) // x\n{ }\n",
        (
            "#ifdef X\nvoid ECRYPT_keystream_bytes(ECRYPT_ctx *c, u8 *k, u32 n)\n"
            "#else\nvoid other(int c)\n#endif\n{ }\n"
        ),
        "#define ECRYPT_keystream_bytes(c, k, n) f(c, k, n)\n",
    ],
)
def test_a_defined_keystream_function_is_seen(package: Path, definition: str) -> None:
    """In any of the ways in which genuine code writes it."""
    _edit(package, "Makefile", "-ansi", "-std=c99")
    _edit(
        package,
        "ecrypt-sync.h",
        "#undef ECRYPT_GENERATES_KEYSTREAM",
        "#define ECRYPT_GENERATES_KEYSTREAM",
    )
    assert _quirks(package) == ["keystream-missing"]
    with (package / "toy.c").open("a") as file:
        file.write(definition)
    assert _quirks(package) == []


def test_variants_that_no_source_looks_at_are_told(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """They would all be the same code."""
    folder = make_package(tmp_path / "toy", variants=3)
    assert _quirks(folder) == []
    _edit(folder, "toy.c", "ECRYPT_VARIANT", "1")
    assert _quirks(folder) == ["variant-unused"]


def test_bundled_framework_headers_are_told(package: Path) -> None:
    """Old ones do not know today's machines."""
    (package / "Ecrypt-Portable.h").write_text("")
    assert _quirks(package) == ["bundled-portable"]


def test_missing_and_superfluous_vectors_are_told(package: Path) -> None:
    """Of two files the plain name wins."""
    (package / "a.verified.test-vectors").write_text("")
    loaded = load_estream(package)
    assert package / "verified.test-vectors" == loaded.vectors
    assert _quirks(package) == ["two-vector-files"]
    for path in package.glob("*.test-vectors"):
        path.unlink()
    assert _quirks(package) == ["no-vectors"]


def test_assembly_for_one_architecture_is_told(package: Path) -> None:
    """The registers give it away."""
    (package / "toy.c").unlink()
    (package / "toy.s").write_text(
        "ECRYPT_keysetup:\n movl 4(%esp), %eax\n movl %eax, %ecx\n addl %ecx, %edx\n ret\n"
    )
    loaded = load_estream(package)
    assert [quirk.name for quirk in loaded.quirks] == ["quirk/one-architecture"]
    assert "32-bit x86" in loaded.quirks[0].message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mov %rdi, %rax\nmov %eax, %ecx\nadd %r8, %rax\nmov %ebx, %edx\nmov %eax,%eax", "x86-64"),
        ("add %o0, %o1, %l2\nsub %g1, %i0, %o0", "SPARC"),
        ("stwu 1,-16(1)\nlwz 3,0(4)\nlwzx 3,4,5\nrlwinm 3,4,5,6,7", "PowerPC"),
        ("ret\n", None),
        ("#if defined(__x86_64__)\nmov %rdi, %rax\nadd %rax,%rax\n#endif\n", None),
        ("", None),
    ],
)
def test_registers_tell_the_architecture(text: str, expected: str | None) -> None:
    """Conditionals and scarce evidence make it unknown."""
    assert expected == architecture_of(text)
