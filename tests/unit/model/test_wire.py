# SPDX-License-Identifier: MIT
"""The rows of the wire are those of the agents in C, and phases lead through them."""

import re
from pathlib import Path

import pytest

from assay.model.api import Way
from assay.model.apis import PACKAGED
from assay.model.kinds import PackageKind
from assay.model.wire import ROWS, WireFunction, paths

AGENTS = Path(__file__).parents[3] / "src/assay/harness/agent"
SOURCES = {PackageKind.STREAM: ("stream.h", "stream.c"), PackageKind.HASH: ("hash.c", "hash.c")}
COUNT = "COUNT"


def enumerated(kind: PackageKind) -> dict[str, int]:
    """Return the constants of the agent's `enum function`."""
    text = (AGENTS / SOURCES[kind][0]).read_text()
    (inside,) = re.findall(r"enum function \{(.*?)\}", text, re.DOTALL)
    found: dict[str, int] = {}
    for one in inside.split(","):
        name, _, value = one.strip().removeprefix("FUNCTION_").partition(" = ")
        before = max(found.values(), default=-1)
        found[name] = found[value.removeprefix("FUNCTION_")] if value else before + 1
    return {name: number for name, number in found.items() if name != COUNT}


def called(kind: PackageKind) -> dict[str, tuple[int, int]]:
    """Return how many pointers and numbers the agent passes on to each function."""
    text = (AGENTS / SOURCES[kind][1]).read_text()
    (inside,) = re.findall(r"static void do_call\(.*?\n\}\n", text, re.DOTALL)
    found: dict[str, tuple[int, int]] = {}
    cases = r"((?:case FUNCTION_\w+:\s*)+)(s->.*?);"
    for names, call in re.findall(cases, inside, re.DOTALL):
        counts = [len(set(re.findall(rf"\b{one}\[(\d)\]", call))) for one in "pn"]
        for name in re.findall(r"FUNCTION_(\w+)", names):
            found[name] = (counts[0], counts[1])
    return found


def named(kind: PackageKind) -> dict[str, WireFunction]:
    """Return the rows of a kind, less the function of every kind that does nothing."""
    return {one.name: one for one in ROWS[kind] if one.name != "NOTHING"}


@pytest.mark.parametrize("kind", ROWS)
def test_functions_have_the_numbers_that_the_agent_in_c_has(kind: PackageKind) -> None:
    """A row too many, one that lacks, or another number: the bench would call something else."""
    assert {name: int(one) for name, one in named(kind).items()} == enumerated(kind)


@pytest.mark.parametrize("kind", ROWS)
def test_rows_have_as_many_places_and_numbers_as_the_agent_passes_on(kind: PackageKind) -> None:
    """A parameter that lacks is one that the function finds rubbish in."""
    rows = {
        name: (
            sum(one.way is not Way.LENGTH for one in row.parameters),
            sum(one.way is Way.LENGTH for one in row.parameters),
        )
        for name, row in named(kind).items()
        if name in called(kind)
    }
    assert rows == called(kind)


@pytest.mark.parametrize("name", PACKAGED)
def test_every_api_has_paths_whose_calls_come_from_its_phases(name: str) -> None:
    """Each begins with what begins a message, and no two are the same."""
    found = paths(name)
    assert len(set(found)) == len(found) > 0
    assert all(part.function in ROWS[PACKAGED[name].kind] for one in found for part in one)


def test_a_cipher_with_a_mac_ends_messages_in_pieces_and_packets_alike() -> None:
    """ECRYPT_AE_finalize writes the MAC, and a packet has it in the same call."""
    names = [[part.function.name for part in one] for one in paths("ecrypt-sync-ae")]
    assert all(one[-1] in {"FINALIZE", "ENCRYPT_PACKET", "DECRYPT_PACKET"} for one in names)


def test_no_path_leads_through_an_api_that_is_not_known() -> None:
    """An agent may say any name."""
    assert paths("no such API") == ()
