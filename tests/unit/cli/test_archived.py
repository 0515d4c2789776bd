# SPDX-License-Identifier: MIT
"""Results that travel: `collect --archive`, `import` on another machine, one table for both."""

import io
import json
import sqlite3
import tarfile
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.cli.calling import Assay, calling
from tests.unit.report.conftest import MACHINE, Campaigner

from assay.model import Campaign, Finding, Trust
from assay.model.supercop import Source
from assay.report.machines import machines_table
from assay.store import FILE_NAME, Store
from assay.store.database import copy_store

BEGUN = "2026-11-21T10:00:00+00:00"
FINDING = Finding("frequency", Trust.BADLY, "the clock moves", "figures move", "fix it")


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)


def measured(folder: Path, host: str, speed: float = 4.0, begun: str = BEGUN) -> Store:
    """Store what a campaign on a machine found; the store stays open, as a campaign's does."""
    store = Store.create(folder)
    store.put_machine(
        replace(MACHINE, host=host, findings=(FINDING,), compilers=("gcc 12.2.0",), mhz=2400.0)
    )
    store.start_campaign(Campaign(("run",), begun))
    campaigner = Campaigner(store)
    campaigner.cell(campaigner.package("salsa20/ref"), speed=speed)
    return store


def sent(assay: Assay, host: str, speed: float = 4.0) -> Path:
    """Make the archive of a machine."""
    measured(Path(host), host, speed).close()
    assert assay("collect", host, "--archive", "-o", f"{host}.tar.gz").code == 0
    return Path(f"{host}.tar.gz")


def tarball(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    """Write an archive as a stranger may."""
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    """Describe a member of an archive."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_results_travel_to_another_machine_and_stand_in_one_table(assay: Assay) -> None:
    """Each row names its machine; figures are what they were, cycles/byte at 1.25 a tick."""
    sent(assay, "alpha", 4.0)
    measured(Path("here"), "beta", 8.0).close()
    done = assay("import", "alpha.tar.gz", "--results", "here")
    assert (done.code, done.err) == (0, "")
    document = json.loads(assay("show", "here", "--format", "json").out)
    machines, streams = document["tables"]
    assert [row["machine"] for row in machines["rows"]] == ["beta", "alpha"]
    assert [(row["machine"], row["package"]) for row in streams["rows"]] == [
        ("beta", "salsa20/ref"),
        ("alpha", "salsa20/ref"),
    ]
    ours, theirs = (row["stream/long"] for row in streams["rows"])
    assert ours == pytest.approx(2 * theirs, rel=0.01)
    alone = json.loads(assay("show", "alpha", "--format", "json").out)["tables"][0]["rows"][0]
    assert theirs == alone["stream/long"]


@pytest.mark.parametrize("command", [("site", "here", "--to", "out"), ("collect", "here")])
def test_pages_show_the_machines_that_were_imported(
    assay: Assay, command: tuple[str, ...]
) -> None:
    """As the terminal does."""
    sent(assay, "alpha", 4.0)
    measured(Path("here"), "beta", 8.0).close()
    assert assay("import", "alpha.tar.gz", "--results", "here").code == 0
    done = assay(*command)
    assert done.code == 0, done.err
    out = Path("out" if "--to" in command else "here")
    pages = "".join(page.read_text() for page in out.rglob("*.html"))
    assert "alpha" in pages
    assert "beta" in pages


def test_pages_are_made_of_the_machines_that_were_imported_alone(assay: Assay) -> None:
    """Nothing was measured in the folder itself: `collect` makes what `site` and `show` do."""
    archive = sent(assay, "other")
    assert assay("import", str(archive), "--results", "new").code == 0
    done = assay("collect", "new")
    assert (done.code, done.out.strip()) == (0, str(Path("new/index.html").resolve()))
    assert "salsa20" in Path("new/index.html").read_text()


def test_a_table_of_machines_says_what_their_figures_are_worth(assay: Assay) -> None:
    """Processor, clock, compilers, the doctor's class and age, as in the HOWTO's Table 1."""
    for host in ("alpha", "beta"):
        measured(Path(host), host).close()
    first, *lines = assay("show", "alpha", "beta").out.splitlines()
    assert first.startswith("Stream ciphers: the fastest is salsa20/ref on alpha (5.27")
    del lines[: lines.index("Machines")]
    for heading in ("Machine", "Processor", "MHz", "Compilers", "Class", "Measured", "Age"):
        assert heading in lines[1]
    for line, host in zip(lines[2:4], ("alpha", "beta"), strict=True):
        assert line.startswith(host)
        assert "Example CPU at 2.4 GHz" in line
        assert "gcc 12.2.0" in line
        assert " C " in line
        assert "2400" in line


def test_csv_of_several_machines_has_a_column_for_them_and_no_other_table(assay: Assay) -> None:
    """A program reads one table, a line for each figure."""
    for host in ("alpha", "beta"):
        measured(Path(host), host).close()
    head, *lines = assay("show", "alpha", "beta", "--format", "csv").out.splitlines()
    at = head.split(",").index("machine")
    assert {line.split(",")[at] for line in lines} == {"alpha", "beta"}
    assert "cpu" not in head.split(",")


def test_folders_of_one_machine_are_told_apart(assay: Assay) -> None:
    """By the day when their results begin, and else by a number."""
    for folder, day in (("a", "2026-11-20"), ("b", "2026-11-21"), ("c", "2026-11-21")):
        measured(Path(folder), "vm", begun=f"{day}T09:00:00+00:00").close()
    document = json.loads(assay("show", "a", "b", "c", "--format", "json").out)
    assert [row["machine"] for row in document["tables"][0]["rows"]] == [
        "vm 2026-11-20",
        "vm 2026-11-21",
        "vm 2026-11-21 #2",
    ]


def test_machines_of_one_name_are_called_alike_in_show_and_on_the_site(assay: Assay) -> None:
    """A table and a page that are cited side by side mean the same machine by a name."""
    for folder, cpu in (("a", "one"), ("b", "two")):
        with measured(Path(folder), "vm") as store:
            store.put_machine(replace(MACHINE, host="vm", cpu=cpu))
    document = json.loads(assay("show", "a", "b", "--format", "json").out)
    shown = [row["machine"] for row in document["tables"][0]["rows"]]
    assert len(set(shown)) == 2
    assert assay("site", "a", "b", "--to", "site").code == 0
    page = Path("site/machines/index.html").read_text("utf-8")
    assert all(f">{one}</a>" in page for one in shown)


def test_a_clock_that_is_ahead_is_said_so(assay: Assay, tmp_path: Path) -> None:
    """A negative age would pass for a young result."""
    store = measured(tmp_path / "alpha", "alpha")
    (launch, *_) = store.launches(store.cells()[0].build.cell)
    store.put_launch(replace(launch, started_at="2999-01-01T00:00:00+00:00"))
    store.close()
    measured(tmp_path / "beta", "beta").close()
    assert "in the future: a clock is wrong" in assay("show", "alpha", "beta").out
    assert "in the future: a clock is wrong" in assay("show", "alpha").out
    assert "in the future" not in assay("show", "beta").out


def test_machines_of_imported_lines_stand_in_the_table_of_machines() -> None:
    """With what their lines say: days and version, and nothing that they do not."""
    first = Source("hydra8", "amd64", "20261118", "20260330")
    table = machines_table((), date(2026, 11, 22), [replace(first, date="20261120"), first])
    (row,) = (one.values for one in table.rows)
    assert (row["machine"], row["measured"]) == ("hydra8", "2026-11-18 to 2026-11-20")
    assert (row["age"], row["assay"], row["cpu"]) == ("2 days", "imported: 20260330", None)


def test_a_later_archive_of_a_machine_takes_the_place_of_an_earlier_one(assay: Assay) -> None:
    """And the earlier one that comes late changes nothing."""
    store = measured(Path("alpha"), "alpha")
    assert assay("collect", "alpha", "--archive", "-o", "first.tar.gz").code == 0
    Campaigner(store).cell(Campaigner(store).package("snow/ref"))
    (launch, *_) = store.launches(store.cells()[0].build.cell)
    store.put_launch(replace(launch, started_at="2026-11-22T10:00:00+00:00"))
    assert assay("collect", "alpha", "--archive", "-o", "second.tar.gz").code == 0
    store.close()
    for name, says in (
        ("first", "results of alpha"),
        ("first", "imported before"),
        ("second", "results of alpha, 2026-11-21 to 2026-11-22"),
        ("first", "imported before"),
    ):
        done = assay("import", f"{name}.tar.gz", "--results", "here")
        assert done.code == 0
        assert says in done.out
    (only,) = Path("here/machines").iterdir()
    with Store.open(only, read_only=True) as taken:
        assert {one.selector for one in taken.packages()} == {"salsa20/ref", "snow/ref"}


def test_the_archive_of_a_running_campaign_is_one_moment_of_it(tmp_path: Path) -> None:
    """Every launch in the copy has its samples, however busy the campaign is."""
    store = measured(tmp_path / "busy", "alpha")
    (launch, *_) = store.launches(store.cells()[0].build.cell)
    stop = threading.Event()
    store.close()

    def campaign() -> None:
        with Store.open(tmp_path / "busy") as own:
            while not stop.is_set():
                own.put_launch(launch)

    worker = threading.Thread(target=campaign)
    worker.start()
    try:
        counts = []
        for number in range(5):
            copy = tmp_path / f"copy-{number}" / FILE_NAME
            copy.parent.mkdir()
            copy_store(tmp_path / "busy", copy)
            with closing(sqlite3.connect(copy)) as file:
                assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                count = "SELECT COUNT(*) FROM launch"
                counts.append(file.execute(count).fetchone()[0])
                whole = "SELECT COUNT(*) FROM launch JOIN sample ON launch = launch.id"
                samples = file.execute(whole).fetchone()[0]
                assert samples == counts[-1] * len(launch.samples)
    finally:
        stop.set()
        worker.join()
    assert counts == sorted(counts)


def test_an_archive_holds_results_and_reports_and_nothing_else(assay: Assay) -> None:
    """The default results folder is the current one, which may hold anything."""
    measured(Path("alpha"), "alpha").close()
    for name in ("secret.txt", "salsa20/ref/speed_1_gcc", "salsa20/ref/key.pem", ".ssh/speed_1"):
        path = Path("alpha", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    Path("alpha/salsa20/ref/speed_2_gcc").symlink_to("/etc/hostname")
    done = assay("collect", "alpha", "--archive")
    assert done.code == 0
    (archive,) = Path().glob("alpha-2026*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {one.name.partition("/")[2] for one in tar}
        assert names == {FILE_NAME, "salsa20/ref/speed_1_gcc"}
        assert {(one.uid, one.uname) for one in tar} == {(0, "")}


def test_an_archive_does_not_follow_a_link_of_its_name(assay: Assay) -> None:
    """A stranger's results folder may be the current one."""
    measured(Path("alpha"), "alpha").close()
    Path("precious").write_text("kept")
    Path("out.tar.gz").symlink_to("precious")
    assert assay("collect", "alpha", "--archive", "-o", "out.tar.gz").code == 0
    assert Path("precious").read_text() == "kept"
    assert tarfile.is_tarfile("out.tar.gz")


def _planted(database: Path) -> bytes:
    with closing(sqlite3.connect(database)) as file:
        file.executescript(
            "CREATE TRIGGER t AFTER INSERT ON sample BEGIN UPDATE sample SET ticks = 1; END"
        )
    return database.read_bytes()


def _damaged(database: Path) -> bytes:
    with closing(sqlite3.connect(database)) as file:
        file.execute("UPDATE sample SET ticks = x'ff00'")
        file.commit()
    return database.read_bytes()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_planted, "holds tables that are not Assay's"),
        (_damaged, "sample"),
        (lambda _: b"SQLite format 3\0" + bytes(100), FILE_NAME),
        (lambda _: b"", "no results of a campaign"),
    ],
    ids=["trigger", "damaged", "no database", "empty"],
)
def test_results_that_cannot_be_read_are_refused_as_a_whole(
    assay: Assay, spoil: Callable[[Path], bytes], says: str
) -> None:
    """Now, and not by each later `show`."""
    measured(Path("alpha"), "alpha").close()
    data = spoil(Path("alpha", FILE_NAME))
    tarball(Path("bad.tar.gz"), (member(f"alpha/{FILE_NAME}"), data))
    done = assay("import", "bad.tar.gz", "--results", "here")
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err
    assert not Path("here/machines").exists()


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (member(f"../{FILE_NAME}"), "unsafe name"),
        (member(f"/tmp/{FILE_NAME}"), "unsafe name"),  # noqa: S108 - a name in an archive
        (member(f"a/{FILE_NAME}", tarfile.SYMTYPE, "/etc/passwd"), "link"),
        (member(f"a/{FILE_NAME}", tarfile.LNKTYPE, "../../etc/passwd"), "link"),
        (member(f"a/{FILE_NAME}", tarfile.CHRTYPE), "special file"),
        (member(f"a/{FILE_NAME}", tarfile.FIFOTYPE), "special file"),
        (member("a/notes.txt"), f"holds no {FILE_NAME}"),
    ],
    ids=["above", "absolute", "link", "hard link", "device", "pipe", "no results"],
)
def test_an_archive_is_read_like_a_strangers(
    assay: Assay, bad: tarfile.TarInfo, says: str
) -> None:
    """Names, links and devices that lead elsewhere are refused, and nothing is written."""
    tarball(Path("bad.tar.gz"), (bad, b""))
    done = assay("import", "bad.tar.gz", "--results", "here")
    assert done.code == 2
    assert says in done.err
    assert not Path("here/machines").exists()


def test_an_archive_with_two_results_is_refused(assay: Assay) -> None:
    """Which one is meant is not guessed."""
    data = (member(f"a/{FILE_NAME}"), b""), (member(f"b/{FILE_NAME}"), b"")
    tarball(Path("bad.tar.gz"), *data)
    done = assay("import", "bad.tar.gz")
    assert done.code == 2
    assert f"holds 2 {FILE_NAME}" in done.err


def test_a_log_beside_the_results_in_an_archive_is_no_part_of_them(assay: Assay) -> None:
    """SQLite would replay it into the file, whoever wrote it."""
    store = measured(Path("alpha"), "alpha")
    Campaigner(store).package("later/ref")
    log = Path("alpha", f"{FILE_NAME}-wal").read_bytes()
    copy_store(Path("alpha"), Path("whole"))
    tarball(
        Path("logged.tar.gz"),
        (member(f"alpha/{FILE_NAME}"), Path("whole").read_bytes()),
        (member(f"alpha/{FILE_NAME}-wal"), log),
    )
    store.close()
    assert assay("import", "logged.tar.gz", "--results", "here").code == 0
    (taken,) = Path("here/machines").iterdir()
    assert [one.name for one in taken.iterdir()] == [FILE_NAME]


def test_a_machines_name_is_no_path_and_no_markup(assay: Assay) -> None:
    """The name of a machine is whatever its owner wrote."""
    sent_by = "../../<b>\x1b[2J"
    measured(Path("alpha"), sent_by).close()
    assert assay("collect", "alpha", "--archive", "-o", "odd.tar.gz").code == 0
    done = assay("import", "odd.tar.gz", "--results", "here")
    assert done.code == 0
    assert "\x1b" not in done.out
    (taken,) = Path("here/machines").iterdir()
    assert taken.name.startswith("b_2J-")
    measured(Path("beta"), "beta").close()
    shown = assay("show", "here", "beta", "--format", "html").out
    assert "<b>" not in shown


def test_a_link_in_the_place_of_imported_machines_is_not_followed(assay: Assay) -> None:
    """Neither by what is written nor by what is shown."""
    sent(assay, "alpha")
    measured(Path("here"), "beta").close()
    Path("outside").mkdir()
    Path("here/machines").symlink_to(Path("outside").absolute())
    done = assay("import", "alpha.tar.gz", "--results", "here")
    assert done.code == 2
    assert "is a link" in done.err
    assert list(Path("outside").iterdir()) == []
    measured(Path("outside/alpha"), "alpha").close()
    assert "alpha" not in assay("show", "here").out


def test_an_empty_folder_gives_no_archive(assay: Assay) -> None:
    """There is nothing to send."""
    Store.create(Path("empty")).close()
    done = assay("collect", "empty", "--archive")
    assert done.code == 2
    assert "no results of a campaign" in done.err
    assert list(Path().glob("*.tar.gz")) == []
