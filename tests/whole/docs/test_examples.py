# SPDX-License-Identifier: MIT
"""What the pages tell the reader to type exists: commands, options, scripts."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assay.cli.main import COMMANDS, assay

CLONE = Path(__file__).resolve().parents[3]
PAGES = (*sorted(CLONE.glob("*.md")), *sorted((CLONE / "docs").rglob("*.md")))
FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
SCRIPT = re.compile(r"(?:^|[\s`])\./scripts/([\w-]+)")
CALL = re.compile(r"^(?:\$ )?(?:\./scripts/)?assay ([a-z]\S*)(.*)$")


def code_of(page: Path) -> Iterator[str]:
    """Give every line of code: of blocks, and between back quotes."""
    text = page.read_text(encoding="utf-8")
    for block in FENCE.findall(text):
        yield from block.splitlines()
    yield from INLINE.findall(FENCE.sub("", text))


def calls(page: Path) -> list[tuple[str, str]]:
    """Find the lines that call assay: the command's name, and the rest."""
    found = (CALL.match(line.strip()) for line in code_of(page))
    return [(match[1], match[2]) for match in found if match]


def options_of(name: str) -> set[str]:
    """Name all options of a command."""
    command = assay.get_command(click.Context(assay), name)
    assert command is not None
    options = {text for p in command.params for text in (*p.opts, *p.secondary_opts)}
    return options | {"-h", "--help"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_in_the_pages_exists(page: Path) -> None:
    """With the options that are shown."""
    for name, rest in calls(page):
        assert name in COMMANDS
        words = shlex.split(rest.partition("  ")[0], comments=True)
        asked = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert asked <= options_of(name), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_script_in_the_pages_exists(page: Path) -> None:
    """And can be executed."""
    for name in SCRIPT.findall(page.read_text(encoding="utf-8")):
        script = CLONE / "scripts" / name
        assert script.stat().st_mode & 0o100, name


def test_commands_were_found() -> None:
    """The patterns above do find something."""
    names = {name for page in PAGES if page.name != "commands.md" for name, _ in calls(page)}
    assert {"check", "collect", "run", "vectors"} <= names
