# SPDX-License-Identifier: MIT
"""`assay work`: lend this machine to a fleet."""

import asyncio
import os
import signal
import socket
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from assay.cli.applies import option, refuse
from assay.cli.main import ENDED_BY
from assay.cli.options import Finite, jail_option
from assay.errors import UsageError
from assay.fleet.bundle import make_bundle
from assay.fleet.jobs import Action
from assay.fleet.machine import BEST, LONGEST_SECONDS, Workplace, own_key, registration
from assay.fleet.queue import open_queue
from assay.fleet.shelf import STATES, Shelf
from assay.fleet.worker import Until, Worker
from assay.report.printable import printable

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@click.command(name="work")
@click.option("--queue", "url", metavar="URL",
              help="The queue: nats://HOST:PORT, or a folder on this machine.")  # fmt: skip
@click.option(
    "--name", metavar="NAME", help="The name of this machine in the fleet [its host name]."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the worker keeps its key, its state, and jobs [~/.local/state/assay/NAME].",
)
@click.option("--target", "targets", multiple=True, metavar="TARGET",
              help="Judge for this target only, and count on it; repeatable.")  # fmt: skip
@click.option("--only", multiple=True, type=click.Choice([one.value for one in Action]),
              help="Take only jobs to judge, or only jobs to measure; repeatable.")  # fmt: skip
@click.option("--refuse", "refused", multiple=True, metavar="ACCOUNT",
              help="Take no jobs of this account; repeatable.")  # fmt: skip
@click.option("--longest", type=Finite(0.01), metavar="HOURS",
              default=LONGEST_SECONDS / 3600, show_default=True,
              help="Refuse jobs that may take longer than this.")  # fmt: skip
@click.option("--best", type=click.IntRange(1), default=BEST, show_default=True, metavar="N",
              help="Measure with the N best configurations, if a job names none.")  # fmt: skip
@click.option("--ask-approval", "approval", is_flag=True,
              help="Have an administrator agree before the server sends jobs.")  # fmt: skip
@click.option("--once", is_flag=True, help="End after one job, or when there is none.")
@option("--state", "wish", excludes=("url",), type=click.Choice(STATES),
        help="Have the worker of this folder take no jobs for now (paused), take them again "
        "(ready), or finish its job and end (draining).")  # fmt: skip
@jail_option
def command(
    url: str | None,
    name: str | None,
    folder: Path | None,
    once: bool,
    wish: str | None,
    **lent: Any,
) -> int:
    """Take jobs of a queue, judge and measure what they name, and send signed bundles back.

    Any number of workers may run on a machine: one at a time measures. Ctrl-C gives the job in
    work back, and keeps what was finished of it. While the queue cannot be reached the worker
    goes on, keeps the results, and sends them later.

    --state tells the worker of the folder what its owner wants, and ends at once.
    """
    refuse()
    host = name or os.environ.get("HOSTNAME") or socket.gethostname().partition(".")[0]
    place = Workplace(
        host,
        (folder or _folder(host)).absolute(),
        lent["jail_name"],
        lent["targets"],
        tuple(map(Action, lent["only"])) or tuple(Action),
        frozenset(lent["refused"]),
        lent["longest"] * 3600,
        lent["best"],
        lent["approval"],
    )
    shelf = Shelf(place.folder)
    if wish is not None:
        shelf.want(wish)
        click.echo(f"{host} is to be {wish} ({place.folder})")
        return 0
    if url is None:
        raise UsageError("no queue is named", "Name it: --queue nats://HOST:PORT, or a folder.")
    with shelf.alone():
        key = own_key(place.folder)
        public = key.with_suffix(".pub").read_text().strip()
        return asyncio.run(_work(place, url, key, public, once=once))


async def _work(place: Workplace, url: str, key: Path, public: str, *, once: bool) -> int:
    """Work until the end, or a signal; return the exit code."""
    task = asyncio.current_task()
    got: list[int] = []

    def end(number: int) -> None:
        got.append(number)
        if task is not None:
            task.cancel()

    for one in ENDS:
        if signal.getsignal(one) is not signal.SIG_IGN:  # `nohup` ignores SIGHUP
            asyncio.get_running_loop().add_signal_handler(one, end, one)
    entry = registration(place, public)
    queue = await open_queue(url)
    try:
        worker = Worker(
            place, queue, entry, lambda folder, file: make_bundle(folder, key, file), _say
        )
        await worker.work(Until(one=once, idle=once))
    except asyncio.CancelledError:
        if not got:
            raise
        return ENDED_BY + got[0]
    finally:
        await queue.close()
    return 0


def _say(text: str) -> None:
    """Print what happens, with the time, for whoever reads the log."""
    click.echo(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {printable(text)}")


def _folder(name: str) -> Path:
    """Return where the worker of a machine keeps its things (XDG base directories)."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base, "assay", name)
