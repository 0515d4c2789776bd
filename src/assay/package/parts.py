# SPDX-License-Identifier: MIT
"""Which files of a folder an implementation needs, starting from its main source."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.apis import STREAM_HEADERS
from assay.package.sources import candidates, exports_keysetup, reached
from assay.package.tree import Contents

_HEAD = re.compile(
    r"^((?:[A-Za-z_][^;{}()=#\n]{0,200}?\b)?)([A-Za-z_]\w*)[ \t]*[\[(=]", re.MULTILINE
)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Parts:
    """The sources to link, the cipher's first, and all files that they include, themselves too."""

    linked: tuple[str, ...]
    reached: tuple[str, ...]


def needed_parts(contents: Contents, main: str) -> Parts:
    """Name the sources to link and the files they include, starting from the cipher's source.

    Another source is needed if it defines a function that needed text mentions
    and is no test program.
    """
    headers = [n for n in contents.top("") if n.lower() in STREAM_HEADERS]
    others = [n for n in candidates(contents) if n != main and not exports_keysetup(contents, n)]
    linked = [main]
    while True:
        files = reached(contents, [*linked, *headers])
        words = {word for n in files for word in _WORD.findall(contents.code(n))}
        more = [n for n in others if n not in linked and _defines_any(contents.code(n), words)]
        if not more:
            return Parts(tuple(linked), tuple(sorted(files)))
        linked += more


def _defines_any(code: str, words: Iterable[str]) -> bool:
    """Return whether the text defines one of the functions or objects named."""
    heads = {name for before, name in _HEAD.findall(code) if "static" not in before.split()}
    return bool(heads.intersection(words))
