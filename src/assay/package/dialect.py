# SPDX-License-Identifier: MIT
"""Which options of a Makefile's `std` line are passed on: those that say what the code means.

How code is compiled is the configuration's to say, the same for every package; an option that
optimises, links, or starts programs would make figures of one configuration those of
another. So this is a list of what is allowed.
"""

import re

_STANDARDS = (
    *("c89", "c90", "c9x", "c99", "c1x", "c11", "c17", "c18", "c2x", "c23"),
    *("iso9899:1990", "iso9899:199409", "iso9899:1999", "iso9899:199x"),
    *("iso9899:2011", "iso9899:2017", "iso9899:2018", "iso9899:2024"),
)
_GNU = tuple(name.replace("c", "gnu", 1) for name in _STANDARDS if name.startswith("c"))

# What code may need to be right. None lets a compiler do more than it may without it.
SEMANTICS = (
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fsigned-char",
    "-funsigned-char",
    "-fgnu89-inline",
    "-trigraphs",
)

_ALLOWED = re.compile(
    "|".join(
        (
            "-ansi",
            "-pedantic(-errors)?",
            f"-std=({'|'.join(map(re.escape, (*_STANDARDS, *_GNU)))})",
            *map(re.escape, SEMANTICS),
            r"-Wa,-Av[789][a-z]?",  # which instructions the assembler of SPARC knows
            r"-W(?![alp]$)([a-z][a-z0-9+-]*(=[a-z0-9-]+)?)?",  # -Wa, -Wl and -Wp pass things on
            r"-D[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_ .,:;+*/%()<>=&|^~!?\"'-]*)?",
            r"-U[A-Za-z_][A-Za-z0-9_]*",
        )
    )
)


def is_allowed(option: str) -> bool:
    """Return whether an option of a `std` line is passed to the compiler."""
    return _ALLOWED.fullmatch(option) is not None
