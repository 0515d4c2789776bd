# SPDX-License-Identifier: MIT
"""docs/reference/commands.md is what `--help` says.

`python tests/docs/test_commands_page.py` writes the page anew.
"""

from pathlib import Path

import click

from assay.cli.main import COMMANDS, assay

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "commands.md"
COLUMNS = 88
INTRODUCTION = """\
# Commands

This page is made from `--help`; `python tests/docs/test_commands_page.py` writes it anew.

From a clone, `./scripts/assay` is the command `assay` without activating anything.
The scripts of the eSTREAM HOWTO are there under their own names:
`./scripts/configure` is `assay configure`, and so are `run`, `collect`, `start`, `cleanup`
and `tabulate`.
"""


def _help(command: click.Command, words: str) -> str:
    """Give the text that `words --help` prints, at a fixed width."""
    context = click.Context(
        command,
        info_name=words,
        terminal_width=COLUMNS,
        max_content_width=COLUMNS,
        help_option_names=["-h", "--help"],
    )
    # click keeps the help option of the first context, which may be another test's
    command._help_option = None
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    return "\n".join(lines)


def page() -> str:
    """Compose the page: the program itself, then every command in alphabetical order."""
    parts = [INTRODUCTION, f"## assay\n\n```\n{_help(assay, 'assay')}\n```\n"]
    for name in sorted(COMMANDS):
        command = assay.get_command(click.Context(assay), name)
        assert command is not None
        title = f"assay {name}"
        parts.append(f"## {title}\n\n```\n{_help(command, title)}\n```\n")
    return "\n".join(parts)


def test_the_page_says_what_the_commands_say() -> None:
    """Every command and option, in the words of its help; click's versions break lines apart."""
    written = PAGE.read_text(encoding="utf-8")
    assert "".join(written.split()) == "".join(page().split()), "write the page anew, see above"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
