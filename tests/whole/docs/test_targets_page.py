# SPDX-License-Identifier: MIT
"""docs/reference/targets.md has every field of a target, and examples that can be read."""

import re
from pathlib import Path

import pytest
from msgspec import NODEFAULT
from msgspec.structs import fields

from assay.model import Runner, Runtime, Target
from assay.targets.catalogue import users_targets

CLONE = Path(__file__).resolve().parents[3]
PAGE = (CLONE / "docs" / "reference" / "targets.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \|(?: ([^|]+))? \| (.*) \|$", re.MULTILINE)
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def table() -> dict[str, tuple[str, str]]:
    """Give the rows of the table of fields: default and meaning."""
    return {name: (default, says) for name, default, says in ROW.findall(PAGE)}


def test_the_table_has_every_field() -> None:
    """In the order of the record, behind `base`."""
    assert ["base", *(field.name for field in fields(Target))] == list(table())


def test_what_is_needed_has_no_default() -> None:
    """And what is not says what it is otherwise."""
    needed = {f.name for f in fields(Target) if f.default is NODEFAULT}
    assert needed | {"base"} == {name for name, (default, _) in table().items() if not default}


@pytest.mark.parametrize(("field", "values"), [("runner", Runner), ("runtime", Runtime)])
def test_the_table_names_every_value(field: str, values: type[Runner] | type[Runtime]) -> None:
    """Of what has only some."""
    named = set(re.findall(r"`([\w-]+)`", table()[field][1]))
    assert named == {one.value for one in values}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split('"')[1])
def test_every_example_can_be_read(example: str, tmp_path: Path) -> None:
    """As a user's file."""
    file = tmp_path / "targets.toml"
    file.write_text(example)
    (made,) = users_targets(file)
    assert made.runner in {Runner.SERIAL, Runner.SSH}


def test_there_are_examples() -> None:
    """Of both runners."""
    assert len(EXAMPLES) >= 4
