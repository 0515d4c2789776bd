# SPDX-License-Identifier: MIT
"""Quirks of text, for packages of every API."""

import re
from collections.abc import Iterable

from assay.model import Quirk
from assay.package import known_quirks as known

# U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 in UTF-8, which is read as Latin-1.
_BIDI = re.compile("\xe2(?:\x80[\x8e\x8f\xaa-\xae]|\x81[\xa6-\xa9])")


def text_quirks(texts: Iterable[tuple[str, str]]) -> tuple[Quirk, ...]:
    """Name the first file whose text is displayed in another order than it is compiled.

    Boucher and Anderson, Trojan Source: Invisible Vulnerabilities, 2021 (CVE-2021-42574).
    """
    for name, text in texts:
        found = _BIDI.search(text)
        if found is not None:
            line = text.count("\n", 0, found.start()) + 1
            return (known.BIDI_CONTROLS.found(file=name, line=line),)
    return ()
