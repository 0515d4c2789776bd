# SPDX-License-Identifier: MIT
"""A library is missing only if the compiler opens one of its headers for this target."""

import pytest
from tests.unit.compile.supercop.conftest import OWN, Built, Hashed, Write, hash_source

from assay.compile import libraries
from assay.model import BuildStage

CHOICE = """
#if defined(__unix__) && !defined(__KERNEL__)
#include <string.h>
#elif defined(__TOY_BOARD__)
#include <rtos/entropy.h>
#include <toylib/rng.h>
#else
#error what is this?
#endif
"""


@pytest.fixture(autouse=True)
def toylib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be a library that this machine has not."""
    missing = libraries._System("Toylib", ("toylib/",), ("-lassay-no-such",), "libtoy-dev")
    monkeypatch.setattr(libraries, "SYSTEM", (missing,))


@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_what_is_for_another_system_is_not_missing(
    write: Write, built: Built, hashed: Hashed, command: str
) -> None:
    """The macros that decide are the compiler's, so text alone cannot tell."""
    files = hash_source("out[0] = inlen;", '#include "random.h"\n')
    write(OWN, files | {"random.h": CHOICE})
    assert hashed(built(OWN, command))[0] == 3


BOTH = "#ifdef {}\n#include <{}>\n#endif\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("#include <toylib/rng.h>", True),
        ("#define A <toylib/a.h>\n#include A\n" + BOTH.format("__unix__", "toylib/a.h"), True),
        ("#ifndef __unix__\n#include <string.h>\n#else\n#include <toylib/rng.h>\n#endif", True),
        (BOTH.format("__TOY__", "toylib/rng.h") + BOTH.format("__unix__", "gone.h"), False),
        ("#if __has_include(<toylib/rng.h>)\n#include <toylib/rng.h>\n#endif", None),
    ],
)  # fmt: skip
def test_what_is_opened_is_missing(
    write: Write, built: Built, text: str, wanted: bool | None
) -> None:
    """The message names the library and Debian's package; another header is the compiler's."""
    write(OWN, hash_source("", f"{text}\n"))
    build = built(OWN)
    if wanted:
        assert build.stage is BuildStage.SKIPPED
        assert "it needs Toylib" in build.reason
        assert "apt-get install libtoy-dev" in build.reason
    elif wanted is None:
        assert build.ok
    else:
        assert "gone.h" in build.diagnostics
        assert "Toylib" not in build.reason


def test_a_header_that_lies_here_without_its_library_is_missing_too(
    write: Write, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As <nettle/md5.h> of this system, which cross compilers read as well, or `-m32`."""
    missing = libraries._System("Toylib", ("string.h",), ("-lassay-no-such",), "libtoy-dev")
    monkeypatch.setattr(libraries, "SYSTEM", (missing,))
    write(OWN, hash_source("", "#include <string.h>\n"))
    build = built(OWN)
    assert build.stage is BuildStage.SKIPPED
    assert "it needs Toylib" in build.reason
