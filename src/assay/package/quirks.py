# SPDX-License-Identifier: MIT
"""Departures from an API that are accepted with a warning.

Genuine submissions have them in numbers: skeletons changed over the years, and
some rules were never checked. `quirks.toml` has what is said of each; here is how those of stream
ciphers are seen, as one table, and one of text, for packages of every API.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

from msgspec import Struct

from assay.model import Quirk
from assay.model.api import Api, Role
from assay.package.builds.makefile import MakefileSettings
from assay.package.sources import exports_keysetup, reached
from assay.package.text import (
    architecture_of,
    code_of,
    defines,
    has_line_comment,
    includes,
    macros,
)
from assay.package.tree import Contents

BUNDLED = ("ecrypt-portable.h", "ecrypt-config.h", "ecrypt-machine.h")
SHOWN_WORDS, SHOWN_CHARACTERS = 8, 60
_ANSI = frozenset({"-ansi", "-std=c89", "-std=c90", "-std=iso9899:1990"})
_VALUE = re.compile(r"\{([a-z_]+)\}")
_U64 = re.compile(r"\bu64\b")
# U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 in UTF-8, which is read as Latin-1.
_BIDI = re.compile("\xe2(?:\x80[\x8e\x8f\xaa-\xae]|\x81[\xa6-\xa9])")


class KnownQuirk(Struct, frozen=True):
    """A departure from the API that is accepted: what is said of it, its cure, and why it matters.

    `message` and `cure` are templates; `why` is for docs/reference/checks.md.
    """

    name: str
    message: str
    cure: str
    why: str

    def spelled(self, text: str) -> str:
        """Write a template for readers: values in capitals."""
        return _VALUE.sub(lambda value: value[1].upper(), text)


@cache
def known_quirks() -> Mapping[str, KnownQuirk]:
    """Return all quirks by the last part of their names."""
    text = resources.files("assay.package").joinpath("quirks.toml").read_text("ascii")
    rows = tomllib.loads(text).items()
    return {name: KnownQuirk(f"quirk/{name}", **row) for name, row in rows}


def quirk(name: str, /, **values: object) -> Quirk:
    """Make the quirk of one package, with what was seen there."""
    known = known_quirks()[name]
    return Quirk(known.name, known.message.format(**values), known.cure.format(**values))


def text_quirks(texts: Iterable[tuple[str, str]]) -> tuple[Quirk, ...]:
    """Name the first file whose text is displayed in another order than it is compiled.

    Boucher and Anderson, Trojan Source: Invisible Vulnerabilities, 2021 (CVE-2021-42574).
    """
    for name, text in texts:
        found = _BIDI.search(text)
        if found is not None:
            line = text.count("\n", 0, found.start()) + 1
            return (quirk("bidi-controls", file=name, line=line),)
    return ()


class QuirkEvidence(Struct, frozen=True):
    """What the loader knows when it looks for quirks; `variants` is None if not stated."""

    contents: Contents
    settings: MakefileSettings
    api: Api
    header: str
    sources: tuple[str, ...]
    variants: int | None

    @property
    def defined(self) -> dict[str, str]:
        """The header's macros."""
        return macros(self.contents.code(self.header))

    @property
    def architecture(self) -> str | None:
        """The one architecture that assembly among the sources binds the package to."""
        texts = (self.contents.text(n) for n in self.sources if not n.endswith(".c"))
        return next(filter(None, map(architecture_of, texts)), None)

    def all_code(self) -> str:
        """Join the text that can reach the compiler: sources, headers and included parts."""
        names = {n for n in self.contents.files if n.endswith((".h", ".c", ".s", ".S", ".inc"))}
        return "\n".join(self.contents.code(n) for n in sorted(names.union(self.sources)))

    def c_files(self) -> tuple[str, ...]:
        """Name the C text compiled under the std line: what the sources reach by includes."""
        sources = (n for n in self.sources if n.endswith(".c"))
        return tuple(sorted(reached(self.contents, [self.header, *sources]) - set(BUNDLED)))

    @property
    def has_makefile(self) -> bool:
        """Return whether there is a Makefile at all."""
        return self.contents.spelled("Makefile") is not None


def find_quirks(evidence: QuirkEvidence, vectors: tuple[Path, ...]) -> tuple[Quirk, ...]:
    """Name everything about a package of a stream cipher that its author should fix."""
    seen = ((name, look(evidence)) for name, look in LOOKS.items())
    found = [quirk(name, **values) for name, values in seen if values is not None]
    if not vectors:
        found.append(quirk("no-vectors"))
    if len(vectors) > 1:
        names = ", ".join(path.name for path in vectors)
        found.append(quirk("two-vector-files", files=names, taken=vectors[0].name))
    return tuple(found)


Values = dict[str, object] | None
"""What is put into the words of a quirk that is there; None for one that is not."""

Look = Callable[[QuirkEvidence], Values]


def _if(there: object, **values: object) -> Values:
    return values if there else None


def _old_header(evidence: QuirkEvidence) -> Values:
    prefix = "ECRYPT_AE_" if Role.MAC in evidence.api.roles else "ECRYPT_"
    code = evidence.contents.code(evidence.header)
    wanted = ("encrypt_bytes", "encrypt_packet", "encrypt_blocks")
    missing = [prefix + name for name in wanted if prefix + name not in code]
    if "ECRYPT_USES_DEFAULT_ALL_IN_ONE" in evidence.defined:
        missing = [name for name in missing if not name.endswith("packet")]
    return _if(missing, missing=", ".join(missing))


def _keystream_missing(evidence: QuirkEvidence) -> Values:
    promised = "ECRYPT_GENERATES_KEYSTREAM" in evidence.defined
    if not evidence.api.has("_keystream_bytes") or not promised:
        return None
    code = evidence.all_code()
    wanted = ["ECRYPT_keystream_bytes"]
    if "ECRYPT_USES_DEFAULT_BLOCK_MACROS" not in evidence.defined:
        wanted.append("ECRYPT_keystream_blocks")
    missing = [name for name in wanted if not defines(code, name)]
    return _if(missing, missing=" and ".join(missing))


def _keystream_misnamed(evidence: QuirkEvidence) -> Values:
    body = evidence.defined.get("ECRYPT_keystream_blocks", "")
    return _if(evidence.api.has("_keystream_bytes") and "ECRYPT_AE_keystream_bytes" in body)


def _variant_fixed(evidence: QuirkEvidence) -> Values:
    if (evidence.variants or 1) == 1 or "ECRYPT_VARIANT" not in evidence.defined:
        return None
    code = evidence.contents.code(evidence.header)
    asked = re.search(r"#[ \t]*if(ndef[ \t]+|.*defined.*)\bECRYPT_VARIANT\b", code)
    return _if(not asked)


def _variant_unused(evidence: QuirkEvidence) -> Values:
    if (evidence.variants or 1) == 1:
        return None
    others = [n for n in evidence.c_files() if n != evidence.header]
    others += [n for n in evidence.sources if not n.endswith(".c")]
    header = evidence.contents.code(evidence.header)
    used = any("ECRYPT_VARIANT" in evidence.contents.code(n) for n in others)
    used = used or bool(re.search(r"ECRYPT_VARIANT[ \t)]*[=!<]=?[ \t]*[0-9]", header))
    return _if(not used, variants=evidence.variants)


def _no_makefile(evidence: QuirkEvidence) -> Values:
    seen = "The Makefile has no `name = ` line" if evidence.has_makefile else "No Makefile"
    return _if(not evidence.settings.name, seen=seen, sources=", ".join(evidence.sources))


def _source_name(evidence: QuirkEvidence) -> Values:
    name, stem = evidence.settings.name, evidence.sources[0].rsplit(".", 1)[0]
    other = name and not evidence.settings.sources and stem != name
    return _if(other, name=name, sources=", ".join(evidence.sources))


def _some(words: Sequence[str]) -> str:
    """Name a few words, none of them at length."""
    shown = [
        word if len(word) <= SHOWN_CHARACTERS else f"{word[:SHOWN_CHARACTERS]}..."
        for word in words
    ]
    more = f" and {len(words) - SHOWN_WORDS} more" if len(words) > SHOWN_WORDS else ""
    return " ".join(shown[:SHOWN_WORDS]) + more


def _under_ansi(evidence: QuirkEvidence, is_newer: Callable[[str], object]) -> Values:
    """Name the first C text that has what C89 does not, where the std line asks for C89."""
    if _ANSI.isdisjoint(evidence.settings.std or ()):
        return None
    names = [n for n in evidence.c_files() if is_newer(evidence.contents.text(n))]
    return {"file": names[0]} if names else None


def _bundled(evidence: QuirkEvidence) -> Values:
    names = [n for n in map(evidence.contents.spelled, BUNDLED) if n]
    return _if(names, files=", ".join(names))


def _keysetup_missing(evidence: QuirkEvidence) -> Values:
    there = any(exports_keysetup(evidence.contents, name) for name in evidence.sources)
    return _if(not there, sources=", ".join(evidence.sources))


def _outside_include(evidence: QuirkEvidence) -> Values:
    for name in evidence.c_files():
        for part in includes(evidence.contents.text(name)):
            if part.startswith("/") or ".." in PurePosixPath(part).parts:
                return {"file": name, "included": part}
    return None


LOOKS: Mapping[str, Look] = {
    "no-name": lambda one: _if("ECRYPT_NAME" not in one.defined),
    "no-profile": lambda one: _if("ECRYPT_PROFILE" not in one.defined),
    "no-maxvariant": lambda one: _if(one.variants is None),
    "no-guard": lambda one: _if(one.api.marks.guard not in one.defined, guard=one.api.marks.guard),
    "header-case": lambda one: _if(
        one.header != one.header.lower(), header=one.header, lower=one.header.lower()
    ),
    "old-header": _old_header,
    "keystream-missing": _keystream_missing,
    "keystream-misnamed": _keystream_misnamed,
    "variant-fixed": _variant_fixed,
    "variant-unused": _variant_unused,
    "no-makefile": _no_makefile,
    "source-name": _source_name,
    "no-std": lambda one: _if(one.has_makefile and one.settings.std is None),
    "std-expansion": lambda one: _if(one.settings.expanded, words=_some(one.settings.expanded)),
    "std-option": lambda one: _if(one.settings.refused, words=_some(one.settings.refused)),
    "ansi-line-comments": lambda one: _under_ansi(one, has_line_comment),
    "ansi-u64": lambda one: _under_ansi(one, lambda text: _U64.search(code_of(text))),
    "bundled-portable": _bundled,
    "keysetup-missing": _keysetup_missing,
    "one-architecture": lambda one: _if(one.architecture, architecture=one.architecture),
    "outside-include": _outside_include,
    "special-file": lambda one: _if(one.contents.odd, files=", ".join(one.contents.odd)),
}
"""How each quirk of a stream cipher is seen, in the order in which they are reported."""
