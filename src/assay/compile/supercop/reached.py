# SPDX-License-Identifier: MIT
"""Which headers of libraries that are missing here a package's compiler would open.

Text alone does not tell: sources choose between systems by macros of compilers and of headers.
So the preprocessor is asked, with an empty file in the place of every header that the text names
and nothing has. It is asked only where a library is missing, as most packages need none.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from assay.compile.files import is_regular
from assay.compile.supercop.lines import script
from assay.execute.command import run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over
from assay.model import Package
from assay.package.text import code_of, read_text

ABSENT, TEXTS = "absent", "opened"
LAST = "api.h"
LONGEST_TEXT_BYTES = 64 << 20
_MARKER = re.compile(rf'^#(?:line)? \d+ "\.\./{ABSENT}/([^"\n]+)"', re.MULTILINE)
_ASKED_FOR = re.compile(r"__has_include(?:_next)?[ \t]*\([ \t]*[<\"]([^>\"\n]+)")
_MISSING = re.compile(r"No such file or directory|file not found")


def opened_headers(
    package: Package,
    headers: frozenset[str],
    words: Sequence[str],
    more: Mapping[str, list[str]],
    home: Path,
    jail: Jail,
) -> frozenset[str]:
    """Return which of `headers`, as an #include writes them, a compiler opens for a package.

    `words` and `more` are what `compile_lines` takes, and `home` is laid out for it. All of them
    are returned if the preprocessor does not get through.
    """
    stand_ins = headers - set(_asked_for(package))
    _place(home / ABSENT, stand_ins)
    hand_over(home)
    line = [*words, "-idirafter", f"../{ABSENT}", "-w", "-E"]
    lines = [f"mkdir {TEXTS}", "cd package"]
    sources = [one for one in (*package.sources, LAST) if not one.endswith(".s")]
    for number, source in enumerate(sources):
        language = ["-x", "c"] if source == LAST else []
        own = shlex.join([*line, *more.get(source, ()), *language, source])
        lines.append(f"{own} > ../{TEXTS}/{number} || :")
    ended = run_jailed(script(lines), home, jail, LONG_COMPILE_LIMITS)
    texts = [home / TEXTS / str(number) for number in range(len(sources))]
    whole = all(is_regular(one) and one.stat().st_size <= LONGEST_TEXT_BYTES for one in texts)
    if not ended.ok or _MISSING.search(ended.output) or not whole:
        return headers
    return frozenset(one for text in texts for one in _MARKER.findall(_read(text)))


def _asked_for(package: Package) -> Iterable[str]:
    """Yield the headers of which a package asks whether they are there."""
    for path in package.places.values():
        with suppress(OSError, UnicodeError):
            yield from _ASKED_FOR.findall(code_of(read_text(path)))


def _place(folder: Path, names: Iterable[str]) -> None:
    """Write empty headers; a name that leaves the folder, or is a folder's, gets none."""
    folder.mkdir()
    for name in names:
        parts = PurePath(name).parts
        if parts and not {"..", "/"} & set(parts):
            with suppress(OSError):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).touch()


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
