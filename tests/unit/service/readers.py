# SPDX-License-Identifier: MIT
"""The load of readers: so many requests a second for pages of a service beside a campaign.

`./scripts/load-readers` runs it. The same campaign is run twice, first beside a service that
nobody reads and then beside its readers; each request begins at its own moment, however slow
the answers before it are. The site is made of the results that come with Assay.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import urllib3
from tests.unit.service.conftest import ROOT

from assay.store import Store

ASSAY = str(ROOT / "scripts" / "assay")
CAMPAIGN = ("salsa20/ref", "chacha20/ref", "--best", "1", "--exhaustive", "--launches", "20")
START_S = 600.0
READERS = 16


def run(*words: object, folder: Path) -> None:
    """Run a command of Assay to its end."""
    subprocess.run([ASSAY, *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def campaign(folder: Path) -> subprocess.Popen[bytes]:
    """Begin a campaign with results of its own."""
    folder.mkdir()
    command = [ASSAY, "run", *CAMPAIGN, "--results", "."]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)


def launches(folder: Path) -> tuple[int, int]:
    """Return how many launches there were, and how many of them were disturbed."""
    with Store.open(folder, read_only=True) as store:
        heads = store.launch_heads()
    return len(heads), sum(bool(one.disturbed) for one in heads)


def read(
    site: str, pages: list[str], rate: float, seconds: float
) -> tuple[Counter[int], list[float]]:
    """Request pages at random, each at its moment; return answers by status, and seconds."""
    server = urllib3.connectionpool.connection_from_url(site, maxsize=READERS, timeout=30)

    def one(page: str, at: float) -> tuple[int, float]:
        answer = server.request("GET", f"/{page}")
        return answer.status, time.monotonic() - at

    with ThreadPoolExecutor(READERS) as readers:
        begun, tasks = time.monotonic(), []
        for number in range(int(rate * seconds)):
            at = begun + number / rate
            time.sleep(max(0.0, at - time.monotonic()))
            tasks.append(readers.submit(one, random.choice(pages), at))
    answers = [task.result() for task in tasks]
    return Counter(status for status, _ in answers), [took for _, took in answers]


def trial(folder: Path, rate: float, seconds: float) -> None:
    """Make a service, measure beside it alone, and then beside its readers."""
    service = folder / "service"
    run(
        "import",
        ROOT / "docs" / "measured.tar.gz",
        "--results",
        service / "results",
        folder=folder,
    )
    port = 20000 + os.getpid() % 20000
    site = f"http://127.0.0.1:{port}"
    run("configure", "--yes", "--quick", folder=folder)
    command = [ASSAY, "serve", str(service), "--port", str(port), "--no-worker"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            pages = wait_for(site, service / "site")
            alone = campaign(folder / "alone")
            alone.wait()
            beside = campaign(folder / "beside")
            answers, took = read(site, pages, rate, seconds)
            beside.wait()
        finally:
            server.terminate()
    middle, worse, worst = (1000 * value for value in np.quantile(took, (0.5, 0.99, 1.0)))
    for name in ("alone", "beside"):
        count, disturbed = launches(folder / name)
        print(f"{name}: {disturbed} of {count} launches disturbed")
    print(f"{len(took)} requests of {len(pages)} pages in {seconds:.0f} s: {dict(answers)}")
    print(f"latency: median {middle:.1f} ms, 99 % {worse:.1f} ms, worst {worst:.1f} ms")


def wait_for(site: str, folder: Path) -> list[str]:
    """Return the addresses of a site's pages when it is made and served."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        time.sleep(0.5)
        pages = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*.html"))
        whole = (folder / "index.html").exists()  # the page that is written last
        if whole and httpx.get(f"{site}/{pages[0]}").status_code == httpx.codes.OK:
            return pages
    sys.exit(f"no pages at {site}")


def main() -> None:
    """Read the options, and try."""
    parser = argparse.ArgumentParser(prog="load-readers")
    parser.add_argument("--rate", type=float, default=200.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-readers-") as folder:
        trial(Path(folder), given.rate, given.seconds)


if __name__ == "__main__":
    main()
