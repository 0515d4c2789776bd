# SPDX-License-Identifier: MIT
"""Departures from the API that are accepted with a warning.

Genuine submissions have them in numbers: skeletons changed over the years, and
some rules were never checked. Each is a named rule: a function that sees the
evidence and answers with what it found, or with nothing.
"""

from collections.abc import Callable
from pathlib import Path

from assay.model import Quirk
from assay.package import known_quirks as known
from assay.package import quirks_files, quirks_header
from assay.package.evidence import QuirkEvidence

Rule = Callable[[QuirkEvidence], Quirk | None]
RULES: tuple[Rule, ...] = (*quirks_header.RULES, *quirks_files.RULES)


def find_quirks(evidence: QuirkEvidence, vectors: tuple[Path, ...]) -> tuple[Quirk, ...]:
    """Name everything about a package that its author should fix."""
    found = [rule(evidence) for rule in RULES]
    found.append(_vector_files(vectors))
    return tuple(quirk for quirk in found if quirk is not None)


def _vector_files(vectors: tuple[Path, ...]) -> Quirk | None:
    if not vectors:
        return known.NO_VECTORS.found()
    if len(vectors) > 1:
        names = ", ".join(path.name for path in vectors)
        return known.TWO_VECTOR_FILES.found(files=names, taken=vectors[0].name)
    return None
