# SPDX-License-Identifier: MIT
"""The page of commands, from `--help`."""

import click

from assay.cli.main import COMMANDS, assay

COLUMNS = 88
INTRODUCTION = """\
# Commands

`./scripts/docs` makes this page from `--help`: change the help texts, not this file.

From a clone, `./scripts/assay` is the command `assay` without activating anything.
The scripts of the eSTREAM HOWTO are there under their own names:
`./scripts/configure` is `assay configure`, and so are `run`, `collect`, `start`, `cleanup`
and `tabulate`.
"""


def _help(command: click.Command, words: str) -> str:
    """Return the text that `words --help` prints, at a fixed width."""
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
