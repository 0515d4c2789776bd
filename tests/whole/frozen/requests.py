# SPDX-License-Identifier: MIT
"""What every check asks of an agent: how many requests, and how many bytes they have.

`python -m tests.whole.frozen.requests > tests/whole/frozen/requests.json` writes what it is now.
A change of these figures is a change of what checks ask, or of how well they ask it: say why in
the commit.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from msgspec.structs import replace
from tests.unit.mock.agent import Agent, Program
from tests.unit.mock.subjects import HashAgent, SealingAgent
from tests.unit.mock.target import MockAgent, MockPipe

from assay.check.depth import Extent
from assay.check.kinds import kind_of
from assay.execute.patience import Patience
from assay.execute.protocol import CHECKSUM, HEADER, decode_header
from assay.model import BrokenPackage, Package, Verdict
from assay.package.estream import load_estream
from assay.package.hashes import load_compact
from assay.package.supercop.load import load

ROOT = Path(__file__).parents[3]
FILE = Path(__file__).with_name("requests.json")
LONG = ("lengths/beyond-4-mib",)  # megabytes, which an agent in Python takes seconds for
Figures = dict[str, dict[str, str]]


@dataclass
class CountingPipe(MockPipe):
    """Counts the requests that are written to it."""

    requests: int = 0
    size_bytes: int = 0

    def write(self, data: bytes) -> None:
        """Count frames, and have them answered."""
        at = 0
        while at < len(data):
            _, _, length = decode_header(data[at : at + HEADER.size])
            at += HEADER.size + length + CHECKSUM.size
            self.requests += 1
        self.size_bytes += len(data)
        super().write(data)


def subjects() -> Iterator[tuple[type[Agent], Package]]:
    """Yield an agent of each kind, and a package that it may pass for."""
    yield Agent, load_estream(ROOT / "tests/whole/corpus/sync", place="submissions/toy/ref")
    folder = "submissions/sha256/portable"
    (found,) = load_compact(ROOT / folder, tree_root=ROOT, place=folder)
    yield HashAgent, replace(found, vectors=None, sizes=(160, 256))
    sealing = load(ROOT / "submissions/supercop", "crypto_aead/ascon128v12/ref")
    assert not isinstance(sealing, BrokenPackage)
    yield SealingAgent, sealing


def figures() -> Figures:
    """Return requests and bytes of every check that passes, by kind; those of a short trial."""
    return {package.kind.value: dict(_figures(one, package)) for one, package in subjects()}


def _figures(agent: type[Agent], package: Package) -> Iterator[tuple[str, str]]:
    pipes: list[CountingPipe] = []

    def connect() -> MockAgent:
        pipes.append(CountingPipe(agent(Program())))
        client = MockAgent(pipes[-1], patience=Patience(60.0))
        client.timeless_on = ""
        return client

    kind = kind_of(package)
    subject = kind.describe(connect())
    for check in kind.checks:
        if check.name in LONG:
            continue
        pipes.clear()
        random = Random(check.name)
        trial = kind.trial(package, subject, connect, random=random, extent=Extent(brief=True))
        found = check.verdict(trial)
        trial.close()
        if found is not None and found.verdict is Verdict.PASS:
            requests = sum(one.requests for one in pipes)
            size = sum(one.size_bytes for one in pipes)
            yield check.name, f"{requests} requests, {size} bytes"


if __name__ == "__main__":
    json.dump(figures(), sys.stdout, indent=1)
    sys.stdout.write("\n")
