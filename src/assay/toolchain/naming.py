# SPDX-License-Identifier: MIT
"""Compact spelling of a configuration: its tag and the name of its file.

The rules of the original are kept (`gcc_default_O3-ual-ofp`, `gcc_k8_Os-ofp`),
so that shortlists and reports of old still name what they named; options that
the original did not have get short forms of the same kind.
"""

import re

from assay.model.native import as_wanted

_SHORT = {
    "fomit-frame-pointer": "ofp",
    "funroll-all-loops": "ual",
    "funroll-loops": "ul",
    "fno-tree-vectorize": "ntv",
    "fno-vectorize": "nv",
    "fno-slp-vectorize": "nslp",
    "fno-strict-aliasing": "nsa",
    "fwrapv": "wrapv",
}
_FAMILIES = {"mingw": "gcc"}
_BEFORE_VALUE = re.compile(r"m[^=\s]*=|xarch=|arch[ :]")


def compact_command(command: str) -> str:
    """Spell a compiler so that it can be part of a file name."""
    return command.replace(" ", "").replace("/", "-")


def compact_arch(arch: str) -> str:
    """Spell an architecture option: `-march=k8` is `k8`, none is `default`.

    Only the first option loses its name, so `-march=k8 -m32` is `k8-m32` and
    stays apart from `-march=k8`. What was left out of `native` is not in the name.
    """
    bare = as_wanted(arch).strip().lstrip("-+")
    option = _BEFORE_VALUE.match(bare)
    value = bare[option.end() :] if option else bare
    return "".join(value.split()) or "default"


def compact_opt(opt: str) -> str:
    """Spell optimisation options: `-O3 -fomit-frame-pointer` is `O3-ofp`."""
    words = (_shorten(word) for word in opt.split())
    return "".join(words).lstrip("-") or "default"


def tag(family: str, arch: str, opt: str) -> str:
    """Return the name that shortlists use, the same for all compilers of a family."""
    return f"{_FAMILIES.get(family, family)}_{compact_arch(arch)}_{compact_opt(opt)}"


def name(command: str, arch: str, opt: str) -> str:
    """Return the name of the config file, without its suffix."""
    return f"{compact_command(command)}_{compact_arch(arch)}_{compact_opt(opt)}"


def _shorten(word: str) -> str:
    """Replace a long option by its short form."""
    bare = word.removeprefix("-")
    return f"-{_SHORT[bare]}" if bare in _SHORT else word
