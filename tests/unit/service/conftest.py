# SPDX-License-Identifier: MIT
"""A service with a queue that is a few lists, and whoever works there is the test."""

import asyncio
import shutil
import socket
import tarfile
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvicorn
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace
from tests.objects import Json
from tests.unit.report.conftest import FAILED, MACHINE, PASSED, Campaigner

from assay.fleet.archived import digest_of
from assay.fleet.bundle import make_bundle
from assay.fleet.jobs import Advance, Job, Registration, Tidings
from assay.fleet.queue import Claim, QueueError
from assay.model import Campaign
from assay.service.accounts import DAILY, WAITING, invite, redeem
from assay.service.app import make_app
from assay.service.desk import SubmissionDesk
from assay.service.house import House
from assay.service.places import ServiceFolder
from assay.service.records import ServiceRecords, open_records
from assay.store import Store

ROOT = Path(__file__).parents[3]
Client = TestClient[Litestar]
ORIGIN = "http://bench.example"


@dataclass
class ListQueue:
    """A queue in memory: what was put, kept and withdrawn can be looked at."""

    folder: Path
    patience: float = 60.0
    jobs: dict[str, Job] = field(default_factory=dict)
    withdrawn: list[str] = field(default_factory=list)
    known: dict[str, tuple[Registration, float]] = field(default_factory=dict)

    async def put(self, job: Job) -> bool:
        """Add a job of a new name."""
        return self.jobs.setdefault(job.name, job) is job

    async def withdraw(self, name: str) -> bool:
        """Note that a job is not wanted any more."""
        self.withdrawn.append(name)
        return True

    async def take(self, lanes: Sequence[str], wait: float) -> Claim | None:
        """Refuse: tests tell what workers would."""
        raise NotImplementedError

    async def waiting(self) -> dict[str, int]:
        """Count nothing."""
        return {}

    async def upload(self, path: Path) -> str:
        """Keep a file under its digest."""
        digest = digest_of(path)
        shutil.copyfile(path, self.folder / digest)
        return digest

    async def download(self, digest: str, path: Path) -> None:
        """Copy a kept file."""
        try:
            shutil.copyfile(self.folder / digest, path)
        except FileNotFoundError:
            raise QueueError(f"the queue has no file {digest}") from None

    async def forget(self, digest: str) -> None:
        """Remove a kept file."""
        (self.folder / digest).unlink(missing_ok=True)

    async def tell(self, tidings: Tidings) -> None:
        """Refuse: tests call the desk."""
        raise NotImplementedError

    async def tidings(self) -> AsyncIterator[Tidings]:
        """Yield nothing."""
        await asyncio.sleep(3600)
        yield Tidings("", "", Advance.BEGUN)

    async def register(self, registration: Registration) -> None:
        """Make a machine known."""
        self.known[registration.machine] = (registration, 1_000_000_000.0)

    async def machines(self) -> dict[str, tuple[Registration, float]]:
        """Return the machines."""
        return self.known

    async def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> ServiceFolder:
    """Make the folder of a service."""
    made = ServiceFolder(tmp_path / "service")
    made.make()
    return made


@pytest.fixture
def records(folder: ServiceFolder) -> Iterator[ServiceRecords]:
    """Open the tables."""
    opened = open_records(folder.root)
    yield opened
    opened.close()


@pytest.fixture
def queue(tmp_path: Path) -> ListQueue:
    """Make an empty queue."""
    (tmp_path / "kept").mkdir()
    return ListQueue(tmp_path / "kept")


@pytest.fixture
def desk(records: ServiceRecords, folder: ServiceFolder, queue: ListQueue) -> SubmissionDesk:
    """Make the desk, which works when a test says so."""
    return SubmissionDesk(records, folder, queue)


@pytest.fixture
def house(records: ServiceRecords, folder: ServiceFolder, desk: SubmissionDesk) -> House:
    """Put the parts together."""
    return House(records, folder, desk, ORIGIN)


@pytest.fixture
def client(house: House) -> Iterator[Client]:
    """Call the application, without anything that works beside it."""
    with TestClient(make_app(house, working=False), base_url=ORIGIN) as called:
        called.follow_redirects = False
        yield called


@contextmanager
def listening(house: House, origin: str = "") -> Iterator[str]:
    """Serve on a free port; an origin is how the service is reached from outside."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        here = f"http://127.0.0.1:{taken.getsockname()[1]}"
        app = make_app(replace(house, origin=origin or here), working=False)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        yield here
        server.should_exit = True
        thread.join()


@pytest.fixture
def address(house: House) -> Iterator[str]:
    """Serve on a free port."""
    with listening(house) as here:
        yield here


class Person:
    """Somebody with a token."""

    def __init__(
        self,
        records: ServiceRecords,
        name: str,
        mail: str = "",
        *,
        administrator: bool = False,
        waiting: int = WAITING,
        daily: int = DAILY,
    ) -> None:
        """Invite somebody, who redeems that."""
        code = invite(
            records, name, mail, administrator=administrator, waiting=waiting, daily=daily
        )
        self.token = redeem(records, code, "test")
        self.headers = {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def ann(records: ServiceRecords) -> Person:
    """Invite somebody."""
    return Person(records, "ann", mail="ann@example.org")


@pytest.fixture
def bob(records: ServiceRecords) -> Person:
    """Invite somebody else."""
    return Person(records, "bob")


@pytest.fixture
def admin(records: ServiceRecords) -> Person:
    """Invite an administrator."""
    return Person(records, "root", administrator=True)


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Pack a package of the repository's."""
    path = tmp_path_factory.mktemp("packed") / "rc4.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(ROOT / "benchmarks" / "rc4" / "ref", "rc4/ref")
    return path.read_bytes()


def sent(client: Client, who: Person, archive: bytes, name: str = "rc4") -> Json:
    """Send an archive; return what the service says of it."""
    answer = client.post(
        "/api/v1/submissions", params={"name": name}, content=archive, headers=who.headers
    )
    assert answer.status_code == 201, answer.text
    said: Json = answer.json()
    return said


def fake_results(folder: Path, name: str = "salsa20/ref", *, failed: bool = False) -> Path:
    """Write the results of one package as a worker's campaign would; return their folder."""
    with Store.create(folder) as store:
        campaigner = Campaigner(store)
        store.put_machine(MACHINE)
        number = store.start_campaign(Campaign(("run",), "2026-11-21T10:00:00+00:00"))
        checks = (*PASSED, FAILED) if failed else PASSED
        campaigner.cell(campaigner.package(name), speed=6.5, checks=checks)
        store.finish_campaign(number, "2026-11-21T11:00:00+00:00")
    return folder


@dataclass
class FakeWorker:
    """A worker that has the results of every job already."""

    desk: SubmissionDesk
    queue: ListQueue
    scratch: Path
    machine: str = "bench"

    async def register(self, **facts: str) -> None:
        """Make its machine known."""
        lanes = ("judge.native", f"measure.{self.machine}")
        await self.queue.register(Registration(self.machine, lanes, "0.1.0", facts))

    async def do(self, job: str, *, failed: bool = False, name: str = "salsa20/ref") -> str:
        """Begin a job, end it, and return the digest of the bundle."""
        await self.begin(job)
        results = fake_results(self.scratch / job, name, failed=failed)
        path, _ = make_bundle(results, None, self.scratch / f"{job}.tar.gz")
        digest = await self.queue.upload(path)
        await self.desk.hear(Tidings(job, self.machine, Advance.DONE, digest))
        return digest

    async def begin(self, job: str) -> None:
        """Begin a job."""
        await self.desk.hear(Tidings(job, self.machine, Advance.BEGUN))


@pytest.fixture
def worker(desk: SubmissionDesk, queue: ListQueue, tmp_path: Path) -> FakeWorker:
    """Make a worker."""
    (tmp_path / "worker").mkdir()
    return FakeWorker(desk, queue, tmp_path / "worker")


async def published(desk: SubmissionDesk, worker: FakeWorker, number: str) -> None:
    """Do all that a submission needs to be published."""
    await worker.register()
    await desk.look_through()
    await worker.do(f"judge-{number}-native")
    await desk.look_through()
    await worker.do(f"measure-{number}-{worker.machine}")
    await desk.publish()
