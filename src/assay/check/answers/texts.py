# SPDX-License-Identifier: MIT
"""Text formats of known answers, before anybody knows what the values mean.

NIST's files have blocks of `name = value` lines. A block ends at an empty line, at a line in
brackets, and where a name comes a second time. Lines in brackets (`[Keylen = 128]`) hold for the
blocks below them. A word alone on its line (`FAIL`) belongs to its block. `#` begins a comment.

The `sign.input` file of Ed25519's authors has `sk pk:pk:message:signature message:` per line.

Digests stand for KAT files that are too large to ship: liboqs has them in
`tests/KATs/*/kats.json` by the names of algorithms, PQClean and trees that follow it in a line
`nistkat-sha256` of META.yml. Compared is the digest of the first answer, which liboqs calls
`single`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field

from assay.check.answers.records import AnswerTask, KnownAnswer, Skip
from assay.errors import VectorFormatError

SHOWN_CHARACTERS = 60
CURE = "docs/reference/known-answers.md shows the formats."
ReadT = TypeVar("ReadT")
_LINE = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_ ]*?)\s*[=:]\s*(?P<value>.*)")
_WORD = re.compile(r"[A-Za-z]+")


def kept_while_unchanged(read: Callable[[Path], ReadT]) -> Callable[[Path], ReadT]:
    """Let a reader keep what it read of some files until they change: campaigns ask often.

    VectorFormatError if a file cannot be read.
    """

    @lru_cache(maxsize=64)
    def once(path: Path, *_: object) -> ReadT:
        return read(path)

    @wraps(read)
    def found(path: Path) -> ReadT:
        try:
            state = path.stat()
            return once(path, Path.cwd(), state.st_mtime_ns, state.st_size)
        except OSError as error:
            raise VectorFormatError(f"{path} cannot be read: {error.strerror}", "") from None

    return found


class Block(Struct):
    """Names (in small letters) and values as they stand; `place` names the first line.

    `spelled` has the names as the file writes them.
    """

    place: str
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    section: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is anything in it."""
        return bool(self.values or self.words)


def blocks(lines: Iterable[str], name: str) -> Iterator[Block]:
    """Split a file into blocks; VectorFormatError names a line that is none of the above."""
    section: dict[str, str] = {}
    block = Block("")
    heading = False
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if line.startswith("#"):
            continue
        spelled, value = _take_apart(line, f"{name}:{number}")
        key = spelled.lower()
        if not line or line.startswith("[") or key in block.values:
            if block:
                yield block
            block = Block("")
        if line.startswith("["):
            section = {**(section if heading else {}), key: value}
            heading = True
        elif line:
            heading = False
            _add(block, key, value, number, f"{name}:{number}")
            block.spelled[key] = spelled
            block.section = section
    if block:
        yield block


def _take_apart(line: str, place: str) -> tuple[str, str]:
    """Return name and value as they stand; no value for a word or a heading without one."""
    inner = line.strip("[]") if line.startswith("[") else line
    match = _LINE.fullmatch(inner)
    if match is not None:
        return match["name"].strip(), match["value"].strip()
    if not line or line.startswith("[") or _WORD.fullmatch(line):
        return inner, ""
    raise VectorFormatError(f"{place} is no `name = value`: {line[:SHOWN_CHARACTERS]!a}", CURE)


def _add(block: Block, key: str, value: str, number: int, place: str) -> None:
    block.place = block.place or place
    if key == "fail":
        block.words.add(key)
    else:
        block.values[key] = value
        block.lines[key] = number


FIELDS = 4
SEED_BYTES = 32
_COLONS = re.compile(r"[0-9a-fA-F]*(:[0-9a-fA-F]*){3}:?")


def is_colons(line: str) -> bool:
    """Return whether a line is one of these."""
    return _COLONS.fullmatch(line.strip()) is not None


def answers_of_lines(lines: list[str], name: str) -> Iterator[KnownAnswer | Skip]:
    """Read a file: a key pair from its seed, and a signed message, per line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        parts = line.strip().split(":")[:FIELDS]
        try:
            secret, public, message, signed = (bytes.fromhex(part) for part in parts)
        except ValueError:
            what = f"{name}:{number} is no line of four hexadecimal fields"
            raise VectorFormatError(what, CURE) from None
        place = f"{name}:{number}"
        keys = {"random": secret[:SEED_BYTES], "public": public}
        yield KnownAnswer(AnswerTask.KEYPAIR, place, keys)
        values = {"key_random": secret[:SEED_BYTES], "message": message, "signed": signed}
        yield KnownAnswer(AnswerTask.SIGN, place, values)


SINGLE = "single"
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_NAME_LINE = re.compile(r"\s*(?:- )?name:\s*(\S+)")
_DIGEST_LINE = re.compile(r"\s*nistkat-sha256:\s*['\"]?([0-9a-fA-F]{64})\b")


def is_kats(document: object) -> bool:
    """Return whether a JSON document has a digest of the first answer for each of some names."""
    return isinstance(document, dict) and bool(document) and all(map(_is_row, document.values()))


def _is_row(row: object) -> bool:
    single = row.get(SINGLE) if isinstance(row, dict) else None
    return isinstance(single, str) and _SHA256.fullmatch(single) is not None


def answers_of_kats(document: dict[str, Any], name: str) -> Iterator[KnownAnswer]:
    """Yield the answer of each algorithm; the digest of all its answers (`all`) is left."""
    for algorithm, row in document.items():
        yield _answer(row[SINGLE], f"{name} {algorithm}", algorithm)


def is_meta(lines: Iterable[str]) -> bool:
    """Return whether a text has a line with the digest of a first answer."""
    return any(_DIGEST_LINE.match(line) for line in lines)


def answers_of_meta(lines: Iterable[str], name: str) -> Iterator[KnownAnswer]:
    """Yield the answers of META.yml; a single one is that of whatever lies beside the file."""
    found: list[tuple[int, str, str]] = []
    algorithm = ""
    for number, line in enumerate(lines, 1):
        if named := _NAME_LINE.match(line):
            algorithm = named[1]
        elif digest := _DIGEST_LINE.match(line):
            found.append((number, algorithm, digest[1]))
    for number, algorithm, text in found:
        yield _answer(text, f"{name}:{number}", algorithm if len(found) > 1 else "")


def _answer(digest: str, place: str, algorithm: str) -> KnownAnswer:
    values = {"sha256": bytes.fromhex(digest)}
    return KnownAnswer(AnswerTask.FIRST, place, values, of=algorithm)
