# SPDX-License-Identifier: MIT
"""`kill -9` of everything in a fleet at random moments: nothing is lost, nothing done twice.

`.venv/bin/pytest tests/unit/fleet/test_kills.py -m slow --log-cli-level info` kills a hundred
times.
"""

import logging
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.fleet.killing import MACHINES, Fleet, Starters, campaign, fleet_of, overlaps
from tests.unit.fleet.nats_server import nats_server, start
from tests.unit.fleet.served import ServedFleet
from tests.unit.report.conftest import Campaigner

from assay.fleet.jobs import Action
from assay.store import Store

LOG = logging.getLogger(__name__)
SEED = 20261126
FEW, MANY = 3, 100


def shared_folder() -> Path:
    """Return a temporary folder with a machine lock of its own."""
    made = Path(tempfile.mkdtemp(prefix="assay-test-"))
    made.chmod(0o1777)
    return made


CASES = [
    pytest.param("nats", FEW, id="nats", marks=pytest.mark.slow),  # test_queue.py has some kills
    pytest.param("folder", MANY, id="folder-many", marks=pytest.mark.slow),
    pytest.param("nats", MANY, id="nats-many", marks=pytest.mark.slow),
]


def engine(name: str, base: Path) -> tuple[str, Starters]:
    """Return the address of a queue, and how its server is started, if it has one."""
    if name == "folder":
        return str(base / "queue"), {}
    with nats_server(base / "nats") as first:
        url, port = first.url, first.port
    return url, {"nats": lambda: start(base / "nats", port=port).process}


@pytest.mark.parametrize(("queue", "kills"), CASES)
def test_kills_lose_no_job_and_let_no_two_measure_at_once(
    tmp_path: Path, cache: Path, queue: str, kills: int
) -> None:
    """All of three workers' jobs end, once each, and no two launches overlap in the stores."""
    base, opened = tmp_path / "fleet", tmp_path / "opened"
    base.mkdir()
    opened.mkdir()
    with fleet_of(Fleet, base, cache, shared_folder(), *engine(queue, base)) as (fleet, archive):
        campaign(fleet, archive, kills, SEED)
    assert len(fleet.killed) == kills
    assert fleet.missing() == set()
    heard = fleet.heard()
    measured = [one.name for one in fleet.jobs if one.action is Action.MEASURE]
    assert {name: len(heard[name]) for name in measured} == dict.fromkeys(measured, 1)
    launches = fleet.launches(opened)
    assert len(launches) >= 3 * len(measured)
    assert overlaps(launches) == []
    LOG.info("%s: %d kills, %s", queue, kills, dict(Counter(fleet.killed)))
    LOG.info("%d jobs, %d launches, none of which overlap", len(fleet.jobs), len(launches))


@pytest.mark.slow
def test_kills_of_a_service_lose_no_submission_and_publish_none_twice(
    tmp_path: Path, cache: Path
) -> None:
    """`assay serve`, submissions by HTTP, and NATS: each result is published once."""
    base = tmp_path / "fleet"
    base.mkdir()
    lent = fleet_of(ServedFleet, base, cache, shared_folder(), *engine("nats", base))
    with lent as (fleet, archive):
        fleet.enter()
        campaign(fleet, archive, MANY, SEED)
        for one in fleet.seen():
            assert [each["state"] for each in one["history"]].count("published") == 1
        stores, launches = fleet.stored()
    assert stores == len(MACHINES) * len(fleet.submissions)  # verdicts alone are in the records
    assert overlaps(launches) == []
    LOG.info("service: %d kills, %s", MANY, dict(Counter(fleet.killed)))
    LOG.info("%d submissions, %d launches", len(fleet.submissions), len(launches))


def test_the_proof_sees_launches_that_overlap(tmp_path: Path) -> None:
    """Of two launches the second began while the first was running."""
    with Store.create(tmp_path) as store:
        campaigner = Campaigner(store)
        campaigner.cell(campaigner.package("salsa20/ref"))
        launch = store.launch_heads()[0]
    first = replace(launch, started_at="2026-11-26T10:00:00.500+00:00", total_seconds=0.2)
    early = replace(first, started_at="2026-11-26T10:00:00.650+00:00")
    later = replace(first, started_at="2026-11-26T10:00:00.701+00:00")
    assert len(overlaps([first, early])) == 1
    assert overlaps([first, later]) == []
