# SPDX-License-Identifier: MIT
"""`assay completion`: the script that lets a shell complete commands and options."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

SHELLS = {"bash": BashComplete, "fish": FishComplete, "zsh": ZshComplete}
VARIABLE = "_ASSAY_COMPLETE"


@click.command(name="completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def command(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and their values.

    For bash: `assay completion bash >~/.local/share/bash-completion/completions/assay`; for
    fish: `assay completion fish >~/.config/fish/completions/assay.fish`; for zsh:
    `eval "$(assay completion zsh)"` in ~/.zshrc.
    """
    root = click.get_current_context().find_root().command
    click.echo(SHELLS[shell](root, {}, "assay", VARIABLE).source())
