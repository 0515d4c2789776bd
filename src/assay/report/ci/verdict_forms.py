# SPDX-License-Identifier: MIT
"""Verdicts for programs of continuous integration: JUnit XML, SARIF and GitHub's annotations.

A verdict points at a line where it can. Compilers, sanitizers and valgrind name files and lines; a
reason may name a function, which is looked for in the source. What names nothing points at the
first line of the package's first file.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree as ET

from msgspec import Struct

from assay import __version__
from assay.model import CheckResult, Verdict
from assay.report.ci.records import CellVerdict, CheckText, Harvest
from assay.report.printable import printable

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Verdict.FAIL: "error", Verdict.OPEN: "warning", Verdict.FINDING: "note"}
COMMANDS = {Verdict.FAIL: "error", Verdict.OPEN: "warning", Verdict.FINDING: "notice"}
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Told = tuple[CellVerdict, CheckResult]
NAMED = re.compile(r"([\w.+/-]+\.(?:c|h|cc|cpp|S|s|asm|inc))[:(](\d+)(?::(\d+))?")
SOURCES = (".c", ".cc", ".cpp", ".S", ".s", ".asm")
WORD = re.compile(r"\b[A-Za-z_]\w{3,}\b")
MOST_BYTES = 1 << 20  # of a file that is searched for a function


class SourceLine(Struct, frozen=True):
    """A line of a file; `path` is relative to the working folder where it lies below it."""

    path: str
    line: int = 1
    column: int | None = None


def _told(found: Harvest) -> Iterator[Told]:
    """Yield what did not pass and was not skipped."""
    for cell in found.verdicts:
        yield from ((cell, one) for one in cell.checks if one.verdict in LEVELS)


def junit_text(found: Harvest) -> str:
    """Write a test suite for each cell, and a test case for each check.

    What failed is a failure, what could not be answered an error.
    """
    whole = ET.Element("testsuites", name="assay")
    for cell in found.verdicts:
        whole.append(_suite(cell))
    for key in ("tests", "failures", "errors", "skipped"):
        whole.set(key, str(sum(int(one.get(key, "0")) for one in whole)))
    ET.indent(whole, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(whole, "unicode") + "\n"


def _suite(cell: CellVerdict) -> ET.Element:
    name = f"{cell.package} ({cell.where})" if cell.where else cell.package
    counts = {
        "tests": len(cell.checks) or 1,
        "failures": cell.count(Verdict.FAIL),
        "errors": cell.count(Verdict.OPEN),
        "skipped": cell.count(Verdict.SKIPPED) if cell.checks else 1,
    }
    suite = ET.Element("testsuite", name=_xml(name), time=f"{cell.seconds or 0:.3f}")
    for key, count in counts.items():
        suite.set(key, str(count))
    if not cell.checks:
        case = ET.SubElement(suite, "testcase", classname=_xml(name), name="package")
        ET.SubElement(case, "skipped", message=_xml(cell.skipped))
    for check in cell.checks:
        suite.append(_case(name, check))
    return suite


def _case(suite: str, check: CheckResult) -> ET.Element:
    case = ET.Element("testcase", classname=_xml(suite), name=check.check)
    reason, whole = _xml(check.reason), _xml(_explained(check))
    if check.verdict is Verdict.FAIL:
        ET.SubElement(case, "failure", message=reason, type=check.check).text = whole
    elif check.verdict is Verdict.OPEN:
        ET.SubElement(case, "error", message=reason, type=check.check).text = whole
    elif check.verdict is Verdict.SKIPPED:
        ET.SubElement(case, "skipped", message=reason)
    elif whole:
        ET.SubElement(case, "system-out").text = whole
    return case


def _xml(text: str) -> str:
    """Replace what no XML document may contain."""
    return NO_XML.sub("\ufffd", text)


def _explained(check: CheckResult) -> str:
    """Write all that is known of a verdict."""
    follows = f"Follows from {check.follows}." if check.follows else ""
    return "\n".join(part for part in (check.reason, check.evidence, check.cure, follows) if part)


def sarif_text(found: Harvest, texts: Mapping[str, CheckText]) -> str:
    """Write SARIF 2.1.0: rules are checks, whose `texts` are known for those that ask."""
    told, base = list(_told(found)), Path.cwd()
    first = {check.check: check for _, check in reversed(told)}
    names = sorted(first)
    builds = {name: CheckText(name, "", one.cure) for name, one in first.items()}  # no questions
    rules = [_rule(name, texts.get(name) or builds[name]) for name in names]
    driver = {"name": "Assay", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": "assay/"},
        "results": [_result(cell, check, names, base) for cell, check in told],
    }
    document = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1) + "\n"


def _rule(name: str, text: CheckText) -> dict[str, Any]:
    asks, why, cure = text.asks, text.why, text.cure
    return {
        "id": name,
        "shortDescription": {"text": asks},
        **({"fullDescription": {"text": why}} if why else {}),
        "help": {
            "text": "\n\n".join(part for part in (asks, why, cure) if part),
            "markdown": "\n\n".join(part for part in (f"**{asks}**", why, cure) if part),
        },
        "properties": {"tags": ["cryptography", name.partition("/")[0]]},
    }


def _result(cell: CellVerdict, check: CheckResult, names: list[str], base: Path) -> dict[str, Any]:
    place = source_line(cell, check, base)
    same = hashlib.sha256(f"{cell.package} {cell.variant} {check.check}".encode()).hexdigest()
    where = f" ({cell.where})" if cell.where else ""
    return {
        "ruleId": check.check,
        "ruleIndex": names.index(check.check),
        "level": "note" if check.follows else LEVELS[check.verdict],
        "message": {"text": printable(f"{cell.package}{where}: {check.reason or check.check}")},
        "locations": [_location(place)],
        "partialFingerprints": {"assay/v1": same},
        "properties": {
            "package": cell.package,
            "configuration": cell.configuration,
            "target": cell.target,
            "verdict": check.verdict.value,
            "evidence": check.evidence,
            "cure": check.cure,
            "follows": check.follows,
        },
    }


def _location(place: SourceLine) -> dict[str, Any]:
    from urllib.parse import quote  # noqa: PLC0415

    uri = Path(place.path).as_uri() if place.path.startswith("/") else quote(place.path)
    region = {"startLine": place.line} | ({"startColumn": place.column} if place.column else {})
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def annotations_text(found: Harvest) -> str:
    """Write a workflow command for each failure, open question and finding that is a cause."""
    base = Path.cwd()
    return "".join(_annotations(_told(found), base))


def _annotations(told: Iterable[Told], base: Path) -> Iterator[str]:
    for cell, check in told:
        if check.follows:
            continue
        place = source_line(cell, check, base)
        title = f"{check.check}: {cell.package}"
        where = f" ({cell.where})" if cell.where else ""
        text = f"{check.reason or check.check}{where}\n{check.cure}".strip()
        given = {"file": place.path, "line": str(place.line), "title": title}
        if place.column:
            given["col"] = str(place.column)
        said = ",".join(f"{key}={_property(value)}" for key, value in given.items())
        yield f"::{COMMANDS[check.verdict]} {said}::{_data(text)}\n"


def _data(text: str) -> str:
    """Escape a message as workflow commands need it."""
    lines = (printable(line) for line in text.splitlines())
    return "%0A".join(one.replace("%", "%25") for one in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def source_line(cell: CellVerdict, check: CheckResult, base: Path) -> SourceLine:
    """Return the line that a verdict is about, its path relative to `base`."""
    named = next(_named(cell, f"{check.reason}\n{check.evidence}"), None)
    file, line, column = named or _defined(cell, check.reason) or (_first(cell), 1, None)
    return SourceLine(_relative(cell.root / file, base), line, column)


def _named(cell: CellVerdict, text: str) -> Iterator[tuple[str, int, int | None]]:
    """Yield the lines of the package's own files that a text names."""
    for found in NAMED.finditer(text):
        asked = PurePosixPath(found[1]).parts
        for file in cell.files:
            own = PurePosixPath(file).parts
            short = min(len(own), len(asked))
            if own[-short:] == asked[-short:]:
                yield file, max(1, int(found[2])), int(found[3]) if found[3] else None
                break


def _defined(cell: CellVerdict, reason: str) -> tuple[str, int, int | None] | None:
    """Return where a function is defined that a reason names."""
    words = set(WORD.findall(reason))
    pattern = re.compile(r"^(?!\s|#|//|/\*)[^;=\n]*?\b(\w+)\s*\(", re.MULTILINE)
    for file in (one for one in cell.files if one.endswith(SOURCES)):
        text = ""
        with suppress(OSError):
            text = (cell.root / file).read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
        for found in pattern.finditer(text):
            ends = re.compile(r"[;{]").search(text, found.end())
            if found[1] in words and ends and ends[0] == "{":
                return file, text.count("\n", 0, found.start()) + 1, None
    return None


def _first(cell: CellVerdict) -> str:
    """Return the first source of a package, or whatever it has."""
    return next((one for one in cell.files if one.endswith(SOURCES)), "".join(cell.files[:1]))


def _relative(path: Path, base: Path) -> str:
    """Write a path as seen from a folder, if it lies below it."""
    whole, top = path.resolve(), base.resolve()
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else whole.as_posix()
