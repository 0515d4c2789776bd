# SPDX-License-Identifier: MIT
"""What is unusual in sources, with the line where it stands."""

from pathlib import Path

import pytest

from assay.cli.lint import command
from assay.package.lint import LintFinding, _in_text, of_compiler

SOURCE = """\
/* a char that is in a comment,
   and malloc(1) */
#include <stdlib.h>
static const char name[] = "char goto";
#ifdef FAST
static char table[4];
#endif
unsigned char *copy(unsigned long n) { return malloc(n); } // bool
"""


def test_rules_look_at_code_and_not_at_comments_and_strings() -> None:
    """Signed and unsigned char, and text in quotes, are what they should be."""
    found = [(one.rule, one.line) for one in _in_text("a.c", SOURCE)]
    assert found == [("plain-char", 6), ("conditional", 5), ("allocation", 8)]


def test_warnings_are_named_once_with_their_place() -> None:
    """Notes and lines of code among the messages are left out."""
    said = (
        "package/x.c: In function 'f':\n"
        "package/x.c:7:9: warning: ISO C90 forbids variable length array 't' [-Wvla]\n"
        "    7 |     int t[n];\n"
        "package/x.c:7:9: warning: ISO C90 forbids variable length array 't' [-Wvla]\n"
        "package/x.c:9:1: note: declared here\n"
    )
    text = "ISO C90 forbids variable length array 't'"
    assert list(of_compiler(said)) == [LintFinding("vla", "x.c", 7, text)]


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)])
def test_findings_fail_only_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], strict: list[str], code: int
) -> None:
    """They are no defects by themselves."""
    folder = tmp_path / "crypto_hash/toy/ref"
    folder.mkdir(parents=True)
    (folder / "api.h").write_text("#define CRYPTO_BYTES 1\n")
    (folder / "hash.c").write_text(
        '#include "crypto_hash.h"\nint crypto_hash(unsigned char *out, const unsigned char *in,'
        " unsigned long long n)\n{ char c[n]; c[0] = 0; out[0] = (unsigned char)c[0]; return 0;}\n"
    )
    assert command.main([str(folder), *strict], standalone_mode=False) == code
    told = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.split()}
    assert {"plain-char", "vla", "unused-parameter"} <= told


def test_a_package_without_anything_unusual_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """As shipped ones are."""
    assert command.main(["salsa20/ref", "--strict"], standalone_mode=False) == 0
    assert "Nothing unusual was found." in capsys.readouterr().out
