# SPDX-License-Identifier: MIT
"""Reading a file of known answers: its content tells the format.

Of the files beside a package no more is read than an allowance: nobody named them, and anybody
may put them there.
"""

import codecs
import gzip
import json
import re
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from assay.check.answers import acvp, rsp, texts, wycheproof
from assay.check.answers.records import MOST_BYTES, AnswerFile, Found, KnownAnswer, Skip
from assay.check.answers.wycheproof import whole_number
from assay.errors import AssayError, VectorFormatError
from assay.fence import ends_all, named

GZIP = b"\x1f\x8b"
CURE = "docs/reference/known-answers.md shows the formats."
ALLOWED_BYTES = 32 << 20
MOST_LINES = 500_000
MOST_SECONDS = 5.0
_STEP = 256  # lines between two looks at the clock
_NAMED = "`--answers FILE` compares it, however large it is."
_JSON = re.compile(r"\s*(?:\[\s*)?\{")  # `[L = 32]` begins a response file


class Allowance(Struct):
    """What is left for the files beside one package, all together.

    The limits are estimates: no collection of genuine files was measured for them.
    """

    bytes_left: int = ALLOWED_BYTES
    lines_left: int = MOST_LINES
    seconds_left: float = MOST_SECONDS
    _began: float = 0.0

    @contextmanager
    def reading(self, path: Path, text: str) -> Iterator[None]:
        """Count the text of a file, and the time that reading it takes meanwhile.

        VectorFormatError where all files have more than they may.
        """
        self.bytes_left -= len(text)
        self.lines_left -= text.count("\n")
        if self.bytes_left < 0:
            self._over(path, f"{ALLOWED_BYTES >> 20} MiB")
        if self.lines_left < 0:
            self._over(path, f"{MOST_LINES} lines")
        self._began = time.monotonic()
        try:
            yield
        finally:
            self.seconds_left -= time.monotonic() - self._began

    def look(self, path: Path) -> None:
        """Raise VectorFormatError if reading takes longer than it may."""
        if time.monotonic() - self._began > self.seconds_left:
            what = f"reading it and the files before it takes more than {MOST_SECONDS:.0f} s"
            raise VectorFormatError(f"{path}: {what}", _NAMED)

    def _over(self, path: Path, what: str) -> NoReturn:
        text = f"{path}: it and the files before it have more than {what} together"
        raise VectorFormatError(text, _NAMED)


class TimedLines(list[str]):
    """The lines of a file, that are read as long as there is time."""

    def __init__(self, text: str, path: Path, allowance: Allowance | None) -> None:
        """Divide a text; without an allowance there is no limit."""
        super().__init__(text.splitlines())
        self._path, self._allowance = path, allowance

    def __iter__(self) -> Iterator[str]:
        """Yield the lines; VectorFormatError when the time is over."""
        for number, line in enumerate(super().__iter__()):
            if self._allowance is not None and number % _STEP == 0:
                self._allowance.look(self._path)
            yield line


def read_answers(path: Path, allowance: Allowance | None = None) -> AnswerFile:
    """Read a file (gzip too), or a folder with `prompt.json` and `expectedResults.json`.

    VectorFormatError names the line that is damaged, or says that nothing is in the file, or
    that it needs more than the `allowance`. Tests that no package can be asked are counted,
    with the reason.
    """
    if path.is_dir():
        path = path / acvp.PROMPT
    text = _text(path)
    with allowance.reading(path, text) if allowance else nullcontext():
        return _read(path, text, allowance)


def _read(path: Path, text: str, allowance: Allowance | None) -> AnswerFile:
    form, answers, skipped = "known answers", list[KnownAnswer](), Counter[str]()
    try:
        form, found = _recognised(text, path, allowance)
        for one in found:
            if allowance is not None:
                allowance.look(path)
            if isinstance(one, Skip):
                skipped[one.reason] += 1
            else:
                answers.append(one)
    except Exception as error:  # a list where a group should be, ...
        if isinstance(error, AssayError) or ends_all(error):
            raise
        last = f", after {answers[-1].place}" if answers else ""
        what = f"{path} has not the form of {form}{last}: {named(error)}"
        raise VectorFormatError(what, CURE) from None
    if not answers and not skipped:
        raise VectorFormatError(f"{path} has no answers", CURE)
    return AnswerFile(path, form, tuple(answers), dict(skipped))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if data.startswith(GZIP):
            with gzip.open(path) as packed:
                data = packed.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            what = f"{path} has more than {MOST_BYTES >> 20} MiB of answers"
            raise VectorFormatError(what, "Divide the file.")
        # As PowerShell writes what is sent to a file.
        utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return data.decode("utf-16" if utf_16 else "utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise VectorFormatError(f"{path} is damaged: {error}", "Fetch it again.") from None
    except OSError as error:
        raise VectorFormatError(f"{path} cannot be read: {error.strerror}", "") from None
    except UnicodeDecodeError as error:
        raise VectorFormatError(f"{path} is no text (byte {error.start})", CURE) from None


def _recognised(text: str, path: Path, allowance: Allowance | None) -> tuple[str, Iterator[Found]]:
    """Name the format, and give what is in the file."""
    if _JSON.match(text):
        return _json(text, path)
    lines = TimedLines(text, path, allowance)
    first = next((line for line in lines if line.strip() and line[0] != "#"), "")
    if texts.is_meta(lines):
        return "digest of known answers", texts.answers_of_meta(lines, path.name)
    if texts.is_colons(first):
        return "sign.input", texts.answers_of_lines(lines, path.name)
    return "NIST response file", rsp.answers(lines, path.name)


def _json(text: str, path: Path) -> tuple[str, Iterator[Found]]:
    try:
        document = json.loads(text, parse_int=whole_number)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}"
        raise VectorFormatError(f"{place} is no JSON: {error.msg}", CURE) from None
    except RecursionError:
        raise VectorFormatError(f"{path}: its brackets are nested too deeply", CURE) from None
    if wycheproof.is_wycheproof(document):
        return "Wycheproof", wycheproof.answers(document, text, path.name)
    if acvp.is_acvp(document):
        return "ACVP", acvp.answers(document, text, path)
    if texts.is_kats(document):
        return "digests of known answers", texts.answers_of_kats(document, path.name)
    raise VectorFormatError(f"{path} is JSON, but neither of ACVP nor of Wycheproof", CURE)
