# SPDX-License-Identifier: MIT
"""`assay`: finds the command, runs it, and alone turns errors into messages and exit codes.

A command's module is imported only when that command is asked for, so that
`assay --help` answers at once.
"""

import errno
import importlib
import os
import signal
import sys
from collections import Counter

import click

from assay import __version__
from assay.errors import AssayError, meant
from assay.fence import number_of

GROUPS = {
    "Check": {
        "check": "check whether packages conform to their API and are correct",
        "ct": "find configurations in which the time of packages depends on secrets",
        "explain": "say what a check asks, why, and what fails it",
        "lint": "say what is unusual in a package's sources",
        "mutate": "find small changes of a package's source that no check notices",
        "bisect": "find the commit since which a check fails, or a package is slower",
        "vectors": "write or verify test vectors of a package",
    },
    "Measure": {
        "run": "build, check and measure packages over the configurations",
        "compare": "compare two implementations, configurations or machines statistically",
        "size": "measure code size, memory and speed of compact hashes",
        "components": "count which share of an operation is hashing, multiplying, sampling",
        "scale": "measure how much copies on all processors make together",
        "cold": "measure the first call after other work has filled the caches",
        "operands": "measure whether time depends on how many bits of operands are set",
        "start": "configure, run and collect, one after another",
    },
    "Report": {
        "show": "print the table of a results folder",
        "history": "show results of a package by commit and machine, and the steps in them",
        "collect": "write the HTML report of a results folder",
        "site": "make one static site from results folders of any machines and times",
        "tabulate": "print the HTML table of performance reports",
        "export": "write results for other programs: SUPERCOP's database lines",
        "import": "read others' results: archives, bundles, and SUPERCOP's database lines",
    },
    "Share": {
        "bundle": "make one signed file of a results folder",
        "verify": "say who signed a bundle, and what in it differs",
        "submit": "send a package to a service, and wait for its results",
        "serve": "run a service: submissions over the web, and the site of their results",
        "fleet": "run one campaign on the machines of a file",
        "work": "lend this machine to a fleet: judge and measure what a queue has",
    },
    "Set up": {
        "configure": "find compilers, options and the CPU; write the config files",
        "doctor": "rate how far timings of this machine can be trusted, and how to improve that",
        "selftest": "verify the measurement accuracy of this machine",
        "list": "list packages",
        "targets": "list targets and what is installed for them",
        "new": "create a package skeleton for any API",
        "wrap": "make a package of a plain C function, which stays where it is",
        "init": "describe a tree with a build of its own, by looking at it",
        "add": "safely unpack an archive and say what is in it",
        "cleanup": "import a raw submission into the framework's form",
        "completion": "print what lets a shell complete commands and options",
        "manual": "print the manual page",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}

# Commands that share a module with another one.
BESIDE = {
    "cleanup": "add",
    "cold": "studies",
    "completion": "manual",
    "import": "export",
    "init": "new",
    "mutate": "lint",
    "operands": "studies",
    "scale": "studies",
    "tabulate": "collect",
    "targets": "list",
    "verify": "bundle",
    "wrap": "new",
}

NO_DISK = "Check that the disk has room and the folder is writable."
NO_ACCESS = "Give read permission on it, or name something of your own."
NO_MEMORY = "End other programs or raise the limit (`ulimit -v`); the same command then continues."
CURES = {errno.ENOMEM: NO_MEMORY, errno.EACCES: NO_ACCESS, errno.EPERM: NO_ACCESS}

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_OPEN = 3
EXIT_INTERRUPTED = 130
ENDED_BY = 128  # and the number of the signal


class LazyGroup(click.Group):
    """A group that knows its commands' names and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, in alphabetical order."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of the command `cmd_name`."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"assay.cli.{BESIDE.get(cmd_name, cmd_name)}")
        name = f"{cmd_name}_command" if cmd_name in BESIDE else "command"
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and refuse options that it takes once and was given twice."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            what = meant(args[0], COMMANDS, most=1)
            ctx.fail(f"No such command {args[0]!a}. {what}`assay --help` lists them.")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            _refuse_repeated(click.Context(command, ctx, info_name=name), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table above, group by group, without importing any."""
        del ctx
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in commands.items()])


def _refuse_repeated(context: click.Context, arguments: list[str]) -> None:
    """Raise UsageError for an option with a value that counts once and is there again.

    The parser would silently take the last value.
    """
    *_, given = context.command.make_parser(context).parse_args(list(arguments))
    once = (o for o in given if isinstance(o, click.Option) and not (o.multiple or o.is_flag))
    again = [option for option, many in Counter(once).items() if many > 1]
    if again:
        name = again[0].opts[0]
        raise click.UsageError(
            f"{name} was given more than once, and {context.info_name} takes one value. "
            "Give it once.",
            context,
        )


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def assay() -> None:
    """Judge implementations of cryptographic primitives.

    Exit codes: 0 all well, 1 something failed, 2 wrong usage or environment, 3 nothing
    failed but something that decides a pass was not examined or compared, 130 or 143 interrupted
    (finished work is kept; the same command continues).
    """
    from assay.cli.lines import say  # noqa: PLC0415 - `assay --help` does without
    from assay.execute.lock import listen  # noqa: PLC0415

    listen(say)


class SignalReceived(KeyboardInterrupt):
    """A signal that ends a command as Ctrl-C does: finished work is kept, children are ended."""

    code = EXIT_INTERRUPTED


def _end(number: int, _: object) -> None:
    """Interrupt the command; the exit code names the signal."""
    SignalReceived.code = ENDED_BY + number
    raise SignalReceived


def main() -> None:
    """Run the command line."""
    for one in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(one) is signal.SIG_DFL:  # `nohup` ignores SIGHUP
            signal.signal(one, _end)
    try:
        code = assay.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _complain("interrupted", "Finished work is kept; the same command continues.")
        code = SignalReceived.code
    except click.ClickException as error:
        error.show()
        code = EXIT_USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_FAILED
    except AssayError as error:
        code = _complain(str(error), error.cure)
    except OSError as error:
        code = _complain(_told(error), CURES.get(number_of(error), NO_DISK))
    except MemoryError:
        code = _complain("the memory is full", NO_MEMORY)
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        code = _complain(f"the memory is full: {error}", NO_MEMORY)
    sys.exit(code)


def _told(error: OSError) -> str:
    """Return what the system said of which file, without its number."""
    if error.strerror is None:
        return os.strerror(number_of(error)) if number_of(error) else str(error)
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the current folder was removed"
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def _complain(message: str, cure: str) -> int:
    """Print an error the way the HOWTO's scripts do, and the cure below it."""
    click.echo(f"error: {message}", err=True)
    if cure:
        click.echo(f"  {cure}", err=True)
    return EXIT_USAGE
