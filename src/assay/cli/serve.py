# SPDX-License-Identifier: MIT
"""`assay serve`: the site, alive, with submissions."""

import asyncio
import logging
from pathlib import Path
from urllib.parse import urlsplit

import click

from assay.cli.applies import option, refuse
from assay.errors import UsageError
from assay.service.accounts import DAILY, WAITING, invite
from assay.service.fetching import is_loopback
from assay.service.places import ServiceFolder
from assay.service.records import open_records
from assay.service.running import ServiceSettings, serve


@click.command(name="serve")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="service")
@option(
    "--host",
    excludes=("name",),
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at.",
)
@option(
    "--port",
    excludes=("name",),
    type=click.IntRange(1, 65535),
    default=8080,
    show_default=True,
    help="The port to listen at.",
)
@option(
    "--origin",
    excludes=("name",),
    metavar="URL",
    help="How browsers reach it: https://NAME behind a proxy. Default: http://HOST:PORT.",
)
@option(
    "--queue",
    excludes=("name",),
    metavar="URL",
    default="",
    help="The queue of a fleet. Default: one in FOLDER.",
)
@option(
    "--judge-on",
    "judges",
    excludes=("name",),
    multiple=True,
    metavar="TARGET",
    default=("native",),
    show_default=True,
    help="Where submissions are judged before they are measured; repeatable.",
)
@option(
    "--no-worker", excludes=("name",), is_flag=True, help="Leave all work to other `assay work`."
)
@click.option("--invite", "name", metavar="NAME", help="Instead: print an invitation, and end.")
@option(
    "--mail",
    needs="name",
    metavar="ADDRESS",
    default="",
    help="With --invite: the address to which letters go.",
)
@option(
    "--administrator",
    needs="name",
    is_flag=True,
    help="With --invite: let the account approve submissions and invite others.",
)
@option(
    "--waiting",
    needs="name",
    type=click.IntRange(1),
    default=WAITING,
    show_default=True,
    help="With --invite: how many submissions may be under way at once.",
)
@option(
    "--daily",
    needs="name",
    type=click.IntRange(1),
    default=DAILY,
    show_default=True,
    help="With --invite: how many submissions may be made within a day.",
)
def command(
    folder: Path,
    host: str,
    port: int,
    origin: str | None,
    queue: str,
    judges: tuple[str, ...],
    no_worker: bool,
    name: str | None,
    mail: str,
    administrator: bool,
    waiting: int,
    daily: int,
) -> None:
    """Take submissions over the web, judge and measure them, and serve the site of the results.

    FOLDER has all that is kept. The first account is made by
    `assay serve FOLDER --invite NAME --administrator`, whose code is redeemed on the page
    "Sign in"; this works beside a running service.
    """
    refuse()
    if name is not None:
        place = ServiceFolder(folder.absolute())
        place.make()
        records = open_records(place.root)
        click.echo(invite(records, name, mail, administrator=administrator, waiting=waiting,
                          daily=daily))  # fmt: skip
        records.close()
        return
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    address = _origin(origin, host, port)
    settings = ServiceSettings(folder, host, port, address, queue, judges, not no_worker)
    asyncio.run(serve(settings, lambda at: click.echo(f"serving {folder} at {at}")))


def _origin(origin: str | None, host: str, port: int) -> str:
    """Return the address outside; UsageError for one that is more than scheme, name and port."""
    if origin is None:
        if not is_loopback(host):
            click.echo(
                "warning: without https (--origin, docs/guide/service.md) tokens travel in the "
                "clear", err=True
            )  # fmt: skip
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"
    parts = urlsplit(origin)
    if (
        parts.scheme not in ("http", "https")
        or origin.rstrip("/") != f"{parts.scheme}://{parts.netloc}"
    ):
        raise UsageError(f"{origin!a} is no origin", "Give one like https://bench.example.org.")
    return origin.rstrip("/")
