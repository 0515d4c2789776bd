# SPDX-License-Identifier: MIT
"""Which #include lines count: those that a compiler for some machine may reach."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.package.conditions import includes_of, reachable
from assay.package.text import code_of


def headers(text: str, *defined: str) -> set[str]:
    """Name the headers that count in a package that defines these macros."""
    return set(reachable(includes_of(code_of(text)), defined))


@pytest.mark.parametrize(
    "text",
    [
        '//#include "a.h"\n',
        '/*\n#include "a.h"\n*/\n',
        '// goes on \\\n#include "a.h"\n',
        '#if 0\n#include "a.h"\n#endif\n',
        '#if defined(_OWN_FRAMEWORK_)\n#include "a.h"\n#endif\n',
        "#ifdef USE_LIBRARY\n#include <a.h>\n#endif\n",
        "#if USE_LIBRARY\n#include <a.h>\n#endif\n",
        '#if defined USE_LIBRARY && defined(__AVX2__)\n#include "a.h"\n#endif\n',
        '#if defined(USE_A) || defined(USE_B)\n#include "a.h"\n#endif\n',
        '#ifndef USE_LIBRARY\n#else\n#include "a.h"\n#endif\n',
        '#if 1\n#elif defined(__AVX2__)\n#include "a.h"\n#endif\n',
        '#ifdef USE_LIBRARY\n#ifdef __AVX2__\n#include "a.h"\n#endif\n#endif\n',
    ],
)
def test_what_no_compiler_reaches_does_not_count(text: str, tmp_path: Path) -> None:
    """Two preprocessors, asked for one machine with AVX2, agree that the header is not wanted."""
    assert headers(text) == set()
    for command in filter(shutil.which, ("gcc", "clang")):
        line = [command, "-E", "-MM", "-MG", "-mavx2", "-x", "c", "-"]
        done = subprocess.run(
            line, input=text, capture_output=True, text=True, check=True, cwd=tmp_path
        )
        assert "a.h" not in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        '#include "a.h"\n',
        '#ifdef __aarch64__\n#include "a.h"\n#endif\n',
        '#ifdef USE_LIBRARY\n#include "b.h"\n#else\n#include "a.h"\n#endif\n',
        '#ifdef A_H\n#else\n#define A_H\n#include "a.h"\n#endif\n',
        '#if BYTE_ORDER == LITTLE_ENDIAN\n#include "a.h"\n#endif\n',
        '#if defined(UINT64_MAX)\n#include "a.h"\n#endif\n',
        '#if (defined(USE_LIBRARY) || 1)\n#include "a.h"\n#endif\n',
        '#if defined(USE_LIBRARY) == 0\n#include "a.h"\n#endif\n',
        '#if LEVEL > 2\n#include "a.h"\n#endif\n',
        '#ifdef SUPERCOP\n#include "a.h"\n#endif\n',
        '#ifdef crypto_sign_PRIMITIVE\n#include "a.h"\n#endif\n',
        '#endif\n#else\n#include "a.h"\n',
    ],
)
def test_what_some_compiler_may_reach_counts(text: str) -> None:
    """What is not certainly false is open, as are macros of compilers and systems."""
    assert "a.h" in headers(text)


def test_a_macro_that_is_known_to_be_undefined_is_not_open() -> None:
    """A tree that is not SUPERCOP's does not define its macro; a package still may."""
    code = '#ifdef SUPERCOP\n#include "a.h"\n#endif\n#ifdef WIN32\n#include "b.h"\n#endif\n'
    found = includes_of(code)
    assert reachable(found, (), ("SUPERCOP",)) == {"b.h"}
    assert reachable(found, ("SUPERCOP",), ("SUPERCOP",)) == {"a.h", "b.h"}


def test_a_macro_that_the_package_defines_anywhere_may_be_defined() -> None:
    """Which of its files comes first, only a compiler knows."""
    text = '#ifdef USE_LIBRARY\n#include "a.h"\n#endif\n'
    assert headers(text) == set()
    assert headers(text, "USE_LIBRARY") == {"a.h"}


def test_conditions_without_end_take_no_time() -> None:
    """A quarter of a million lines by a hostile author: each is looked at once."""
    deep = "#if X\n" * 50_000 + '#include "a.h"\n' * 50_000
    many = "#if X\n" + '#elif Y\n#include "b.h"\n' * 50_000
    assert headers(deep, "X") == {"a.h"}
    assert headers(many, "X", "Y") == {"b.h"}


def test_what_an_assembler_includes_counts() -> None:
    """Kyber's assembly has its macros in a file that GNU as includes."""
    code = '#include "consts.h"\n.include "fq.inc"\n%include "macros.mac"\n .incbin "table.bin"\n'
    assert headers(code) == {"consts.h", "fq.inc", "macros.mac", "table.bin"}
    assert headers('__asm__(".include \\"a\\"");\n') == set()
