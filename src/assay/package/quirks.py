# SPDX-License-Identifier: MIT
"""Departures from the API that are accepted with a warning.

Genuine submissions have them in numbers: skeletons changed over the years, and
some rules were never checked. Each is a named rule: a function that sees the
evidence and answers with what it found, or with nothing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assay.model import Quirk
from assay.package.architecture import architecture_of
from assay.package.makefile import Settings
from assay.package.sources import exports_keysetup
from assay.package.text import code_of, defines, has_line_comment, includes, macros
from assay.package.tree import Contents

_ANSI = frozenset({"-ansi", "-std=c89", "-std=c90", "-std=iso9899:1990"})
_BUNDLED = ("ecrypt-portable.h", "ecrypt-config.h", "ecrypt-machine.h")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the loader knows when it looks for quirks; `variants` is None if not stated."""

    contents: Contents
    settings: Settings
    api_type: str
    header: str
    sources: tuple[str, ...]
    variants: int | None

    @property
    def defined(self) -> dict[str, str]:
        """The header's macros."""
        return macros(self.contents.code(self.header))

    def all_code(self) -> str:
        """Join the text that can reach the compiler: sources, headers and included parts."""
        names = set(self.sources)
        names.update(
            n for n in self.contents.files if n.endswith((".h", ".c", ".s", ".S", ".inc"))
        )
        return "\n".join(code_of(self.contents.text(n)) for n in sorted(names))


Rule = Callable[[Evidence], Quirk | None]


def find_quirks(evidence: Evidence, vectors: tuple[Path, ...]) -> tuple[Quirk, ...]:
    """Name everything about a package that its author should mend."""
    found = [rule(evidence) for rule in RULES]
    found.append(_vector_files(vectors))
    return tuple(quirk for quirk in found if quirk is not None)


def _vector_files(vectors: tuple[Path, ...]) -> Quirk | None:
    if not vectors:
        return Quirk(
            "quirk/no-vectors",
            "There is no verified vector file: correctness cannot be compared.",
            "Make vectors, verify them, and name the file verified.test-vectors.",
        )
    if len(vectors) > 1:
        names = ", ".join(path.name for path in vectors)
        return Quirk(
            "quirk/two-vector-files",
            f"Several vector files: {names}; {vectors[0].name} is taken.",
            "Keep one file called verified.test-vectors.",
        )
    return None


def _no_name(evidence: Evidence) -> Quirk | None:
    if "ECRYPT_NAME" in evidence.defined:
        return None
    return Quirk(
        "quirk/no-name",
        "The header does not define ECRYPT_NAME.",
        'Add `#define ECRYPT_NAME "..."` to the header.',
    )


def _no_profile(evidence: Evidence) -> Quirk | None:
    if "ECRYPT_PROFILE" in evidence.defined:
        return None
    return Quirk(
        "quirk/no-profile",
        "The header does not define ECRYPT_PROFILE.",
        'Add `#define ECRYPT_PROFILE "S3___"` (or what applies) to the header.',
    )


def _no_maxvariant(evidence: Evidence) -> Quirk | None:
    if evidence.variants is not None:
        return None
    return Quirk(
        "quirk/no-maxvariant",
        "The header does not define ECRYPT_MAXVARIANT; one variant is assumed.",
        "Add `#define ECRYPT_MAXVARIANT 1` to the header.",
    )


def _no_guard(evidence: Evidence) -> Quirk | None:
    guard = "ECRYPT_" + evidence.api_type.upper().replace("-", "_")
    if guard in evidence.defined:
        return None
    return Quirk(
        "quirk/no-guard",
        f"The header does not define {guard}, which tells the API.",
        f"Start the header with `#ifndef {guard}` and `#define {guard}`.",
    )


def _header_case(evidence: Evidence) -> Quirk | None:
    if evidence.header == evidence.header.lower():
        return None
    return Quirk(
        "quirk/header-case",
        f"The header is called {evidence.header}.",
        f"Rename it to {evidence.header.lower()}: most file systems tell the two apart.",
    )


def _bundled(evidence: Evidence) -> Quirk | None:
    names = [n for n in map(evidence.contents.spelled, _BUNDLED) if n]
    if not names:
        return None
    return Quirk(
        "quirk/bundled-portable",
        f"The package brings its own {', '.join(names)}; it is compiled with them.",
        "Remove them: the framework's own know more machines.",
    )


def _no_makefile(evidence: Evidence) -> Quirk | None:
    if evidence.settings.name:
        return None
    seen = "The Makefile has no `name = ` line" if _has_makefile(evidence) else "No Makefile"
    return Quirk(
        "quirk/no-makefile",
        f"{seen}; these sources are taken: {', '.join(evidence.sources)}.",
        "Let `assay cleanup` write one.",
    )


def _has_makefile(evidence: Evidence) -> bool:
    return evidence.contents.spelled("Makefile") is not None


def _source_name(evidence: Evidence) -> Quirk | None:
    name = evidence.settings.name
    first = evidence.sources[0]
    if not name or evidence.settings.sources or first.rsplit(".", 1)[0] == name:
        return None
    return Quirk(
        "quirk/source-name",
        f"There is no {name}.c, .S or .s; taken instead: {', '.join(evidence.sources)}.",
        f"Rename the source to {name}.c, or mend the Makefile's name.",
    )


def _no_std(evidence: Evidence) -> Quirk | None:
    if not _has_makefile(evidence) or evidence.settings.std is not None:
        return None
    return Quirk(
        "quirk/no-std",
        "The Makefile has no `std = ` line; the compiler's default dialect is used.",
        "Add a line such as `std = -ansi` or `std = -std=c99`.",
    )


def _std_expansion(evidence: Evidence) -> Quirk | None:
    if not evidence.settings.expanded:
        return None
    return Quirk(
        "quirk/std-expansion",
        f"The std line has words for make to expand: {' '.join(evidence.settings.expanded)}; "
        "they are left out.",
        "Write plain compiler options.",
    )


def _ansi_line_comments(evidence: Evidence) -> Quirk | None:
    names = [n for n in _c_files(evidence) if has_line_comment(evidence.contents.text(n))]
    if not _is_ansi(evidence) or not names:
        return None
    return Quirk(
        "quirk/ansi-line-comments",
        f"The std line asks for C89, but {names[0]} has // comments.",
        "Write `std = -std=c99`, or turn them into /* ... */.",
    )


def _ansi_u64(evidence: Evidence) -> Quirk | None:
    if not _is_ansi(evidence):
        return None
    names = [n for n in _c_files(evidence) if re.search(r"\bu64\b", evidence.contents.code(n))]
    if not names:
        return None
    return Quirk(
        "quirk/ansi-u64",
        f"{names[0]} uses u64, which a 32-bit machine lacks under the C89 of the std line.",
        "Write `std = -std=c99`.",
    )


def _is_ansi(evidence: Evidence) -> bool:
    return bool(_ANSI.intersection(evidence.settings.std or ()))


def _c_files(evidence: Evidence) -> tuple[str, ...]:
    """Name the C text compiled under the std line: what the sources reach by includes."""
    reached: list[str] = []
    queue = [evidence.header, *(n for n in evidence.sources if n.endswith(".c"))]
    while queue:
        name = queue.pop()
        reached.append(name)
        parts = includes(evidence.contents.text(name))
        queue += [p for p in parts if p in evidence.contents.files and p not in reached + queue]
    return tuple(sorted(set(reached) - set(_BUNDLED)))


def _keystream_missing(evidence: Evidence) -> Quirk | None:
    if evidence.api_type != "sync" or "ECRYPT_GENERATES_KEYSTREAM" not in evidence.defined:
        return None
    code = evidence.all_code()
    wanted = ["ECRYPT_keystream_bytes"]
    if "ECRYPT_USES_DEFAULT_BLOCK_MACROS" not in evidence.defined:
        wanted.append("ECRYPT_keystream_blocks")
    missing = [name for name in wanted if not defines(code, name)]
    if not missing:
        return None
    return Quirk(
        "quirk/keystream-missing",
        f"ECRYPT_GENERATES_KEYSTREAM is set, but {' and '.join(missing)} is not defined.",
        "Define the function, or write #undef ECRYPT_GENERATES_KEYSTREAM.",
    )


def _keysetup_missing(evidence: Evidence) -> Quirk | None:
    if any(exports_keysetup(evidence.contents, name) for name in evidence.sources):
        return None
    return Quirk(
        "quirk/keysetup-missing",
        f"No key setup function is seen in {', '.join(evidence.sources)}.",
        "Define ECRYPT_keysetup (ECRYPT_AE_keysetup) under its own name.",
    )


def _old_header(evidence: Evidence) -> Quirk | None:
    prefix = "ECRYPT_AE_" if evidence.api_type == "sync-ae" else "ECRYPT_"
    code = evidence.contents.code(evidence.header)
    wanted = ("encrypt_bytes", "encrypt_packet", "encrypt_blocks")
    missing = [prefix + name for name in wanted if prefix + name not in code]
    if "ECRYPT_USES_DEFAULT_ALL_IN_ONE" in evidence.defined:
        missing = [name for name in missing if not name.endswith("packet")]
    if not missing:
        return None
    return Quirk(
        "quirk/old-header",
        f"The header does not declare {', '.join(missing)}.",
        "Take the header of the API again and fill in its [edit] parts.",
    )


def _variant_fixed(evidence: Evidence) -> Quirk | None:
    code = evidence.contents.code(evidence.header)
    if (evidence.variants or 1) == 1 or "ECRYPT_VARIANT" not in evidence.defined:
        return None
    if re.search(r"#[ \t]*if(ndef[ \t]+|.*defined.*)\bECRYPT_VARIANT\b", code):
        return None
    return Quirk(
        "quirk/variant-fixed",
        "The header sets ECRYPT_VARIANT itself: all variants are the same code.",
        "Put `#ifndef ECRYPT_VARIANT` around the definition.",
    )


def _variant_unused(evidence: Evidence) -> Quirk | None:
    others = [n for n in _c_files(evidence) if n != evidence.header] + [
        n for n in evidence.sources if not n.endswith(".c")
    ]
    used = any("ECRYPT_VARIANT" in evidence.contents.code(n) for n in others)
    header_code = evidence.contents.code(evidence.header)
    used = used or bool(re.search(r"ECRYPT_VARIANT[ \t)]*[=!<]=?[ \t]*[0-9]", header_code))
    if (evidence.variants or 1) == 1 or used:
        return None
    return Quirk(
        "quirk/variant-unused",
        f"{evidence.variants} variants are announced, but no source looks at ECRYPT_VARIANT.",
        "Set ECRYPT_MAXVARIANT to 1.",
    )


def _one_architecture(evidence: Evidence) -> Quirk | None:
    for name in evidence.sources:
        if not name.endswith(".c"):
            architecture = architecture_of(evidence.contents.text(name))
            if architecture:
                return Quirk(
                    "quirk/one-architecture",
                    f"{name} is assembly for {architecture} only.",
                    "Add C for the other machines, or a .S file that chooses by #if.",
                )
    return None


def _outside_include(evidence: Evidence) -> Quirk | None:
    for name in _c_files(evidence):
        for part in includes(evidence.contents.text(name)):
            if part.startswith("/") or ".." in PurePosixPath(part).parts:
                return Quirk(
                    "quirk/outside-include",
                    f'{name} includes "{part}", which the jail does not show.',
                    "Put the file, or a link to it, into the package.",
                )
    return None


def _special_files(evidence: Evidence) -> Quirk | None:
    if not evidence.contents.odd:
        return None
    return Quirk(
        "quirk/special-file",
        f"Not regular files, left out: {', '.join(evidence.contents.odd)}.",
        "Remove them from the package.",
    )


RULES: tuple[Rule, ...] = (
    _no_name,
    _no_profile,
    _no_maxvariant,
    _no_guard,
    _header_case,
    _bundled,
    _no_makefile,
    _source_name,
    _no_std,
    _std_expansion,
    _ansi_line_comments,
    _ansi_u64,
    _keystream_missing,
    _keysetup_missing,
    _old_header,
    _variant_fixed,
    _variant_unused,
    _one_architecture,
    _outside_include,
    _special_files,
)
