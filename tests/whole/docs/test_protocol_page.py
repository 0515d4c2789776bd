# SPDX-License-Identifier: MIT
"""docs/reference/protocol.md names every request, status and function with its number."""

import re
from enum import IntEnum
from pathlib import Path

import pytest

from assay.check.operation.script import REGISTERS, STATE, ScriptStep
from assay.check.session import FLAGS
from assay.execute import protocol
from assay.execute.agent import BUFFER_COUNT
from assay.execute.protocol import Request, Status
from assay.model.wire import StreamFunction

CLONE = Path(__file__).resolve().parents[3]
PAGE = (CLONE / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
HEADER = (CLONE / "src/assay/harness/agent/agent.h").read_text(encoding="utf-8")
OPERATION = (CLONE / "src/assay/harness/agent/operation.h").read_text(encoding="utf-8")
HASH = (CLONE / "src/assay/harness/agent/hash.c").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([0-9A-F]+h?) \| `([A-Z_]+)` \|", re.MULTILINE)


def section(title: str) -> dict[str, int]:
    """Read the numbered table of a section: name to number."""
    text = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    rows = ROW.findall(text)
    return {
        name: int(number.removesuffix("h"), 16 if number.endswith("h") else 10)
        for number, name in rows
    }


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Requests", Request),
        ("Status", Status),
        ("Calls of a stream cipher", StreamFunction),
        ("Scripts", ScriptStep),
    ],
)
def test_every_number_is_on_the_page(title: str, kind: type[IntEnum]) -> None:
    """No more, no fewer, and with these values."""
    assert section(title) == {one.name: one.value for one in kind}


@pytest.mark.parametrize(("prefix", "kind"), [("REQUEST", Request), ("STATUS", Status)])
def test_the_agent_has_the_same_numbers(prefix: str, kind: type[IntEnum]) -> None:
    """In agent.h."""
    found = re.findall(rf"\b{prefix}_(\w+) = (0x[0-9a-f]+|\d+)", HEADER)
    assert {name: int(value, 0) for name, value in found} == {o.name: o.value for o in kind}


def test_the_functions_of_a_hash_are_numbered_as_in_the_agent() -> None:
    """In the order of the enumeration in hash.c."""
    enumeration = re.search(r"enum function \{(.*?)\}", HASH, re.DOTALL)
    assert enumeration is not None
    names = re.findall(r"FUNCTION_(\w+)", enumeration[1])
    assert section("Calls of a hash") == {name: number for number, name in enumerate(names)}


def test_the_steps_of_a_script_are_numbered_as_in_the_agent() -> None:
    """In the order of the enumeration in operation.c, from 1 on."""
    enumeration = re.search(r"enum step \{(.*?)\}", OPERATION, re.DOTALL)
    assert enumeration is not None
    names = re.findall(r"STEP_(\w+)", enumeration[1])
    assert section("Scripts") == {name: number for number, name in enumerate(names, 1)}


def test_the_version_is_the_same_everywhere() -> None:
    """On the page, in the header, in the module."""
    stated = re.search(r"gives the version, now (\d+)\.", PAGE)
    defined = re.search(r"#define PROTOCOL_VERSION (\d+)", HEADER)
    assert stated is not None
    assert defined is not None
    assert int(stated[1]) == int(defined[1]) == protocol.PROTOCOL_VERSION


def test_limits_are_those_of_the_code() -> None:
    """How many buffers there are, how long a payload may be, and what no buffer is called."""
    assert f"There are {BUFFER_COUNT} buffers" in PAGE
    assert f"never more than {protocol.LARGEST_ANSWER_BYTES >> 20} MiB" in PAGE
    assert f"the number {protocol.NO_BUFFER:X}h is a null pointer" in PAGE
    assert f"The function {protocol.NOTHING:X}h exists in every kind" in PAGE
    assert f"The number {STATE.number:X}h is the static memory" in PAGE
    assert f"The {REGISTERS} registers" in PAGE


def test_flags_stand_in_the_order_of_their_bits() -> None:
    """From bit 0 on."""
    listed = PAGE.partition("The flags, from bit 0 on: ")[2].partition(".\n")[0].split(", ")
    assert [flag.lower().removesuffix(" functions").replace(" ", "-") for flag in listed] == [
        flag.removesuffix("-functions") for flag in FLAGS
    ]
