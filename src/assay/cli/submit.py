# SPDX-License-Identifier: MIT
"""`assay submit`: pack a package, check what the service will check, send it, and watch."""

import os
import re
import stat
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import httpx

from assay.cli import check
from assay.cli.applies import ADDRESS, LOCAL, option, refuse
from assay.cli.main import EXIT_FAILED
from assay.cli.options import jail_option
from assay.errors import MachineError, UsageError
from assay.fleet.archived import anonymous, digest_of
from assay.package.arrival import arrive
from assay.package.download import LIMIT_BYTES, is_address
from assay.package.recognise import recognise
from assay.plan.choice import default_configuration
from assay.report.printable import printable
from assay.service.fetching import is_loopback

TOKEN = "ASSAY_TOKEN"
ANSWER_SECONDS = 60.0
LOOK_SECONDS = 3.0
MOST_LOST = 20  # answers in a row that may be missing while one waits
ENDED = {"published": 0, "refused": EXIT_FAILED, "withdrawn": EXIT_FAILED}
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@click.command(name="submit")
@click.argument("source", metavar="DIR|ARCHIVE|URL")
@click.option(
    "--to", "server", required=True, metavar="SERVER", help="The address of the service."
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"A file with your token, readable by you alone. Default: ${TOKEN}.",
)
@click.option("--name", help="The name of the submission. Default: the name of SOURCE.")
@click.option("--message", default="", help="A note for readers of the submission's page.")
@option("--sha256", metavar="HEX", help="The SHA-256 of the archive at a URL, which needs it.",
        refused={LOCAL: "Leave it out: what arrives is compared with what was sent."})  # fmt: skip
@click.option("--no-wait", is_flag=True, help="End as soon as the service has received it.")
@option("--unchecked", is_flag=True, help="Send it without running `assay check` first.",
        refused={ADDRESS: "Leave it out: nothing of it is here to be checked."})  # fmt: skip
@jail_option
def command(
    source: str,
    server: str,
    token_file: Path | None,
    name: str | None,
    message: str,
    sha256: str | None,
    no_wait: bool,
    unchecked: bool,
    jail_name: str,
) -> int:
    """Send a package to the service at SERVER (`assay serve`), and wait for its results.

    A folder is packed first. What is packed is unpacked and checked here as the service will do
    it (`assay check`), and nothing is sent if a check fails. Without a compiler here only the
    service checks. With a URL, the service fetches the archive, if its SHA-256 is the one named.

    Exit codes: 0 published, or received with --no-wait; 1 refused, or a check failed here;
    2 wrong usage or no answer.
    """
    refuse({ADDRESS if is_address(source) else LOCAL: ""})
    token = _token(token_file)
    with (
        _client(server, token) as client,
        tempfile.TemporaryDirectory(prefix="assay-submit-") as scratch,
    ):
        if is_address(source):
            one = _send_address(client, source, name, message, sha256)
        else:
            archive = _packed(Path(source), Path(scratch))
            package = _unpacked(archive, Path(source), Path(scratch))
            if not (unchecked or _passes(package, jail_name)):
                click.echo("error: it fails here, so nothing was sent\n"
                           "  Correct it, or add --unchecked.", err=True)  # fmt: skip
                return EXIT_FAILED
            one = _send(client, archive, name or Path(source).resolve().name, message)
        click.echo(f"{printable(one['state'])}: {printable(one['page'])}")
        return 0 if no_wait else _watch(client, one)


def _token(file: Path | None) -> str:
    """Return the token; UsageError for a file that others can read."""
    if file is None:
        found = os.environ.get(TOKEN, "")
        if not found:
            raise UsageError(
                "there is no token", f"Name a file with --token-file, or set {TOKEN}."
            )
        return found.strip()
    if not file.is_file():
        raise UsageError(f"there is no file {file}", "Redeem your invitation for a token first.")
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise UsageError(f"others can read {file}", f"`chmod 600 {file}`")
    return file.read_text("utf-8").strip()


def _client(server: str, token: str) -> httpx.Client:
    """Return a client; a token is sent in the clear to this machine alone."""
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{server!a} is no address of a service", "Give https://NAME.")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise UsageError(f"{server} would get your token in the clear", "Use its https address.")
    return httpx.Client(
        base_url=f"{server.rstrip('/')}/api/v1", timeout=ANSWER_SECONDS,
        headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip


def _packed(source: Path, scratch: Path) -> Path:
    """Return the archive that is sent."""
    if not source.exists():
        raise UsageError(f"there is no {source}", "Name a folder, an archive, or an address.")
    archive = source
    if source.is_dir():
        archive = scratch / "package.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(source.resolve(), source.resolve().name, filter=_anonymous)
    if archive.stat().st_size > LIMIT_BYTES:
        raise UsageError(f"the archive is larger than {LIMIT_BYTES >> 20} MB", "Leave out more.")
    return archive


def _unpacked(archive: Path, source: Path, scratch: Path) -> Path:
    """Return a folder with all that is in an archive; UsageError without a package in it."""
    folder = scratch / "package"
    arrive(archive, folder)
    found = recognise(folder)
    if found.packages <= len(found.broken):
        broken = found.broken[0] if found.broken else None
        raise UsageError(
            f"{source}: {broken.reason if broken else found.says}",
            broken.cure if broken else "See docs/guide/submit.md.",
        )
    click.echo(f"{source}: {found.says}", err=True)
    return folder


def _passes(package: Path, jail_name: str) -> bool:
    """Return whether no check fails here; without a compiler nothing is said against it."""
    try:
        default_configuration()
    except MachineError as error:
        click.echo(f"warning: not checked here: {error}; the service will check it", err=True)
        return True
    words = [str(package), "--jail", jail_name]
    return bool(check.command.main(words, standalone_mode=False) != EXIT_FAILED)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out who packed it, and what is hidden (.git, among others)."""
    return None if Path(member.name).name.startswith(".") else anonymous(member)


def _send(client: httpx.Client, archive: Path, name: str, message: str) -> Any:
    """Send an archive; the SHA-256 that comes back must be its own."""
    with archive.open("rb") as file:
        one = _asked(client, "POST", "/submissions", params={"name": name, "message": message},
                     content=iter(lambda: file.read(1 << 16), b""),
                     headers={"Content-Length": str(archive.stat().st_size)})  # fmt: skip
    if one["sha256"] != digest_of(archive):
        raise MachineError("the service has received other bytes than were sent", "Try again.")
    return one


def _send_address(
    client: httpx.Client, url: str, name: str | None, message: str, sha256: str | None
) -> Any:
    if sha256 is None or not _SHA256.fullmatch(sha256):
        raise UsageError("a URL needs its archive's SHA-256", "Name it with --sha256 HEX.")
    shown = name or Path(urlsplit(url).path).name or url
    what = {"url": url, "sha256": sha256, "name": shown, "message": message}
    return _asked(client, "POST", "/submissions/by-address", json=what)


def _asked(client: httpx.Client, method: str, path: str, **given: Any) -> Any:
    """Return the answer of a service; errors say what it says."""
    try:
        answer = client.request(method, path, **given)
        found = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        raise MachineError(
            f"{client.base_url.host} gives no answer: {error}", "Check the address; try again."
        ) from None
    if answer.is_success and isinstance(found, dict):
        return found
    said = found.get("detail") if isinstance(found, dict) else None
    raise UsageError(f"the service refuses: {printable(str(said or answer.status_code))}")


def _watch(client: httpx.Client, one: Any) -> int:
    """Print each new state until the last, whatever answers are lost on the way."""
    state, lost = one["state"], 0
    while state not in ENDED:
        time.sleep(LOOK_SECONDS)
        try:
            one = _asked(client, "GET", f"/submissions/{one['id']}")
        except MachineError:
            lost += 1
            if lost > MOST_LOST:
                raise
            continue
        lost = 0
        if one["state"] != state:
            state = one["state"]
            click.echo(f"{printable(state)}{_why(one['reason'])}")
    for job in one["jobs"]:
        for each in job["results"]:
            click.echo(f"  {printable(each['name'])}: {printable(each['verdict'])} "
                       f"on {printable(job['machine'])}")  # fmt: skip
    return ENDED[state]


def _why(reason: str) -> str:
    return ": " + "\n  ".join(printable(line) for line in reason.splitlines()) if reason else ""
