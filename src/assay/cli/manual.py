# SPDX-License-Identifier: MIT
"""`assay manual` and `assay completion`: the manual page, made of the help of all commands."""

import inspect
from collections.abc import Iterator

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from assay import __version__


@click.command(name="manual")
def command() -> None:
    """Print the manual page: `assay manual | man -l -`, or into share/man/man1/assay.1."""
    root = click.get_current_context().find_root().command
    if isinstance(root, click.Group):
        click.echo("\n".join(page(root)))


def page(root: click.Group) -> Iterator[str]:
    """Yield the lines of the page, in the language of man(7)."""
    context = click.Context(root, info_name="assay")
    yield f'.TH ASSAY 1 "" "assay {__version__}" "User Commands"'
    first = inspect.cleandoc(root.help or "").split("\n")[0].rstrip(".")
    yield from (".SH NAME", f"assay \\- {plain(first)}", ".SH SYNOPSIS")
    yield from (".B assay", ".I COMMAND", "[OPTIONS] [ARGUMENTS]", ".SH DESCRIPTION")
    yield from _text(root)
    yield ".SH COMMANDS"
    for name in root.list_commands(context):
        one = root.get_command(context, name)
        if one is not None:
            yield from _section(one, click.Context(one, info_name=name, parent=context))


def plain(text: str) -> str:
    """Return text that man takes for no request and no hyphen."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _text(one: click.Command) -> Iterator[str]:
    """Yield the paragraphs of a help."""
    for line in inspect.cleandoc(one.help or "").splitlines():
        yield plain(line) if line.strip() else ".PP"


def _section(one: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(one.collect_usage_pieces(context))
    yield f".SS assay {plain(f'{context.info_name} {usage}')}"
    yield from _text(one)
    for parameter in one.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield from (".TP", f".B {plain(record[0])}", plain(" ".join(record[1].split())))


SHELLS = {"bash": BashComplete, "fish": FishComplete, "zsh": ZshComplete}
VARIABLE = "_ASSAY_COMPLETE"


@click.command(name="completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion_command(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and their values.

    For bash: `assay completion bash >~/.local/share/bash-completion/completions/assay`; for
    fish: `assay completion fish >~/.config/fish/completions/assay.fish`; for zsh:
    `eval "$(assay completion zsh)"` in ~/.zshrc.
    """
    root = click.get_current_context().find_root().command
    click.echo(SHELLS[shell](root, {}, "assay", VARIABLE).source())
