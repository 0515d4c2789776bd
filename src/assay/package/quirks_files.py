# SPDX-License-Identifier: MIT
"""Quirks of the Makefile, the sources and what else lies in the folder."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from assay.model import Quirk
from assay.package import known_quirks as known
from assay.package.evidence import BUNDLED, QuirkEvidence
from assay.package.sources import exports_keysetup
from assay.package.text import has_line_comment, includes

SHOWN_WORDS, SHOWN_CHARACTERS = 8, 60
_ANSI = frozenset({"-ansi", "-std=c89", "-std=c90", "-std=iso9899:1990"})


def _no_makefile(evidence: QuirkEvidence) -> Quirk | None:
    if evidence.settings.name:
        return None
    seen = "The Makefile has no `name = ` line" if evidence.has_makefile else "No Makefile"
    return known.NO_MAKEFILE.found(seen=seen, sources=", ".join(evidence.sources))


def _source_name(evidence: QuirkEvidence) -> Quirk | None:
    name = evidence.settings.name
    first = evidence.sources[0]
    if not name or evidence.settings.sources or first.rsplit(".", 1)[0] == name:
        return None
    return known.SOURCE_NAME.found(name=name, sources=", ".join(evidence.sources))


def _no_std(evidence: QuirkEvidence) -> Quirk | None:
    if not evidence.has_makefile or evidence.settings.std is not None:
        return None
    return known.NO_STD.found()


def _std_expansion(evidence: QuirkEvidence) -> Quirk | None:
    if not evidence.settings.expanded:
        return None
    return known.STD_EXPANSION.found(words=_some(evidence.settings.expanded))


def _std_option(evidence: QuirkEvidence) -> Quirk | None:
    if not evidence.settings.refused:
        return None
    return known.STD_OPTION.found(words=_some(evidence.settings.refused))


def _some(words: Sequence[str]) -> str:
    """Name a few words, none of them at length."""
    shown = [
        word if len(word) <= SHOWN_CHARACTERS else f"{word[:SHOWN_CHARACTERS]}..."
        for word in words
    ]
    more = f" and {len(words) - SHOWN_WORDS} more" if len(words) > SHOWN_WORDS else ""
    return " ".join(shown[:SHOWN_WORDS]) + more


def _is_ansi(evidence: QuirkEvidence) -> bool:
    return bool(_ANSI.intersection(evidence.settings.std or ()))


def _ansi_line_comments(evidence: QuirkEvidence) -> Quirk | None:
    names = [n for n in evidence.c_files() if has_line_comment(evidence.contents.text(n))]
    if not _is_ansi(evidence) or not names:
        return None
    return known.ANSI_LINE_COMMENTS.found(file=names[0])


def _ansi_u64(evidence: QuirkEvidence) -> Quirk | None:
    if not _is_ansi(evidence):
        return None
    names = [n for n in evidence.c_files() if re.search(r"\bu64\b", evidence.contents.code(n))]
    if not names:
        return None
    return known.ANSI_U64.found(file=names[0])


def _bundled(evidence: QuirkEvidence) -> Quirk | None:
    names = [n for n in map(evidence.contents.spelled, BUNDLED) if n]
    if not names:
        return None
    return known.BUNDLED_PORTABLE.found(files=", ".join(names))


def _keysetup_missing(evidence: QuirkEvidence) -> Quirk | None:
    if any(exports_keysetup(evidence.contents, name) for name in evidence.sources):
        return None
    return known.KEYSETUP_MISSING.found(sources=", ".join(evidence.sources))


def _one_architecture(evidence: QuirkEvidence) -> Quirk | None:
    if evidence.architecture is None:
        return None
    return known.ONE_ARCHITECTURE.found(architecture=evidence.architecture)


def _outside_include(evidence: QuirkEvidence) -> Quirk | None:
    for name in evidence.c_files():
        for part in includes(evidence.contents.text(name)):
            if part.startswith("/") or ".." in PurePosixPath(part).parts:
                return known.OUTSIDE_INCLUDE.found(file=name, included=part)
    return None


def _special_files(evidence: QuirkEvidence) -> Quirk | None:
    if not evidence.contents.odd:
        return None
    return known.SPECIAL_FILE.found(files=", ".join(evidence.contents.odd))


RULES = (
    _no_makefile,
    _source_name,
    _no_std,
    _std_expansion,
    _std_option,
    _ansi_line_comments,
    _ansi_u64,
    _bundled,
    _keysetup_missing,
    _one_architecture,
    _outside_include,
    _special_files,
)
