# SPDX-License-Identifier: MIT
"""Quirks of the Makefile, the sources and what else lies in the folder."""

import re
from pathlib import PurePosixPath

from assay.model import Quirk
from assay.package.evidence import BUNDLED, Evidence
from assay.package.sources import exports_keysetup
from assay.package.text import has_line_comment, includes

_ANSI = frozenset({"-ansi", "-std=c89", "-std=c90", "-std=iso9899:1990"})


def _no_makefile(evidence: Evidence) -> Quirk | None:
    if evidence.settings.name:
        return None
    seen = "The Makefile has no `name = ` line" if evidence.has_makefile else "No Makefile"
    return Quirk(
        "quirk/no-makefile",
        f"{seen}; these sources are taken: {', '.join(evidence.sources)}.",
        "Let `assay cleanup` write one.",
    )


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
    if not evidence.has_makefile or evidence.settings.std is not None:
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


def _is_ansi(evidence: Evidence) -> bool:
    return bool(_ANSI.intersection(evidence.settings.std or ()))


def _ansi_line_comments(evidence: Evidence) -> Quirk | None:
    names = [n for n in evidence.c_files() if has_line_comment(evidence.contents.text(n))]
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
    names = [n for n in evidence.c_files() if re.search(r"\bu64\b", evidence.contents.code(n))]
    if not names:
        return None
    return Quirk(
        "quirk/ansi-u64",
        f"{names[0]} uses u64, which a 32-bit machine lacks under the C89 of the std line.",
        "Write `std = -std=c99`.",
    )


def _bundled(evidence: Evidence) -> Quirk | None:
    names = [n for n in map(evidence.contents.spelled, BUNDLED) if n]
    if not names:
        return None
    return Quirk(
        "quirk/bundled-portable",
        f"The package brings its own {', '.join(names)}; it is compiled with them.",
        "Remove them: the framework's own know more machines.",
    )


def _keysetup_missing(evidence: Evidence) -> Quirk | None:
    if any(exports_keysetup(evidence.contents, name) for name in evidence.sources):
        return None
    return Quirk(
        "quirk/keysetup-missing",
        f"No key setup function is seen in {', '.join(evidence.sources)}.",
        "Define ECRYPT_keysetup (ECRYPT_AE_keysetup) under its own name.",
    )


def _one_architecture(evidence: Evidence) -> Quirk | None:
    if evidence.architecture is None:
        return None
    return Quirk(
        "quirk/one-architecture",
        f"There is assembly for {evidence.architecture} only.",
        "Add C for the other machines, or a .S file that chooses by #if.",
    )


def _outside_include(evidence: Evidence) -> Quirk | None:
    for name in evidence.c_files():
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


RULES = (
    _no_makefile,
    _source_name,
    _no_std,
    _std_expansion,
    _ansi_line_comments,
    _ansi_u64,
    _bundled,
    _keysetup_missing,
    _one_architecture,
    _outside_include,
    _special_files,
)
