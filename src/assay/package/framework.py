# SPDX-License-Identifier: MIT
"""Recognising the framework's own files among submitted ones.

Early submissions carry copies. A copy is known by its name and its guard, and
is unmodified as far as it matters when it defines nothing beyond what such a
file has to define: ours defines the same.
"""

import re

from assay.model.apis import STREAM_HEADERS
from assay.package.text import code_of, defines, includes, macros

_GUARDS = {
    "ecrypt-config.h": "ECRYPT_CONFIG",
    "ecrypt-portable.h": "ECRYPT_PORTABLE",
    "ecrypt-machine.h": "ECRYPT_",
}
_KNOWN_MACRO = re.compile(
    r"ECRYPT_\w+|[UI](8|16|32|64)[TVC]|MAXT|ALIGN|AT_LEAST_ONE|ROT[LR](8|16|32|64)|SWAP(8|16|32|64)"
    r"|U(8|16|32|64)TO(8|16|32|64)_(LITTLE|BIG)|_?_?(LITTLE|BIG)_ENDIAN"
)
_KNOWN_TYPE = re.compile(r"[su](8|16|32|64)")
_TYPEDEF = re.compile(r"\btypedef\b[^;{}]*?(\w+)[ \t\n]*;")
_DEFAULT_CODE = re.compile(r"ecrypt-s(sy|y)nc?n?(-ae)?\.c")
_FAMILY = frozenset({*STREAM_HEADERS, *_GUARDS})
_TEST = re.compile(r"ecrypt-test\.[ch]|ecrypt-test\.mk|timers\.h")


def is_framework_name(name: str) -> bool:
    """Return whether a file has the name of one of the framework's; API headers do not count."""
    name = name.lower()
    return name in _GUARDS or bool(_DEFAULT_CODE.fullmatch(name) or _TEST.fullmatch(name))


def own_additions(name: str, text: str) -> tuple[str, ...]:
    """Name what a copy of a framework file has that the framework's does not; () if nothing.

    Meant for names for which is_framework_name holds.
    """
    name = name.lower()
    code = code_of(text)
    if name in _GUARDS:
        found = [m for m in macros(code) if not _KNOWN_MACRO.fullmatch(m)]
        found += [t for t in _TYPEDEF.findall(code) if not _KNOWN_TYPE.fullmatch(t)]
        found += [i for i in includes(text) if i not in _FAMILY]
        found += [] if _GUARDS[name] in code else [f"no {_GUARDS[name]}"]
        return tuple(found)
    if _DEFAULT_CODE.fullmatch(name):
        functions = ("ECRYPT_keysetup", "ECRYPT_AE_keysetup", "ECRYPT_ivsetup", "main")
        return tuple(f for f in functions if defines(code, f))
    return ()
