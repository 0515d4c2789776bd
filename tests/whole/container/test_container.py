# SPDX-License-Identifier: MIT
"""The container of scripts/Containerfile: it is built, and its commands are called inside."""

import json
import shutil
from pathlib import Path

import pytest
from tests.whole.container.engine import NESTED, Engine, build, runner

pytestmark = pytest.mark.container


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Build the image, and find how this machine runs one."""
    if shutil.which("podman") is None:
        pytest.skip("podman is not installed: apt-get install podman runc mmdebstrap")
    built = build()
    assert built.code == 0, built.said[-4000:]
    found = runner()
    if isinstance(found, str):
        pytest.skip(f"containers do not run here: {found}")
    return found


def test_every_target_of_the_catalogue_is_installed(engine: Engine) -> None:
    """Compilers, emulators and wine, of 64 and 32 bits."""
    listed = json.loads(engine.run("targets", "--json").said)["targets"]
    assert len(listed) > 20
    assert {one["name"] for one in listed if not one["installed"]} == set()


def test_doctor_says_that_it_is_in_a_container(engine: Engine) -> None:
    """With the cost and the cure."""
    done = engine.run("doctor", "--json")
    report = json.loads(done.said)
    (found,) = [one for one in report["findings"] if one["topic"] == "container"]
    assert found["state"].startswith("in a container (")
    assert "host" in found["cure"]


def test_without_more_rights_the_jail_is_refused_with_a_cure(engine: Engine) -> None:
    """The usual filter of containers forbids namespaces, and nothing runs unconfined for it."""
    done = engine.run("check", "rc4/ref")
    assert done.code == 2
    assert "the jail cannot run" in done.said
    assert "--jail limits" in done.said


def test_the_jail_runs_inside_where_it_is_allowed_to(engine: Engine) -> None:
    """Bubblewrap in a container that may make namespaces."""
    report = json.loads(engine.run("doctor", "--json", options=NESTED).said)
    assert report["jail"].startswith("bubblewrap")
    done = engine.run("check", "rc4/ref", options=NESTED)
    assert (done.code, done.said.splitlines()[0].split(":")[0]) == (0, "pass  rc4/ref")


def test_limits_alone_work_without_more_rights(engine: Engine) -> None:
    """The container confines the code then, and the result says what does."""
    done = engine.run("check", "rc4/ref", "--jail", "limits", "--json")
    assert done.code == 0, done.said
    assert '"jail": "limits only"' in done.said


@pytest.mark.parametrize("target", ["qemu-mips", "simavr-atmega1281", "windows-amd64"])
def test_other_targets_run_inside(engine: Engine, target: str) -> None:
    """One of each emulator: QEMU, simavr, wine."""
    package = "shabal/portable" if target != "simavr-atmega1281" else "shabal/avr8"
    done = engine.run("check", package, "--target", target, options=NESTED)
    assert done.code == 0, done.said


def test_results_are_kept_in_a_folder_of_the_host(engine: Engine, tmp_path: Path) -> None:
    """What is mounted at /work keeps reports and results, and belongs to who began it."""
    mounted = ("--volume", f"{tmp_path}:/work", "--hostname", "here", *NESTED)
    assert engine.run("configure", "--yes", options=mounted).code == 0
    done = engine.run(
        *("run", "rc4/ref", "--best", "1", "--launches", "1", "--samples", "5"),
        *("--results", "results"),
        options=mounted,
    )
    assert "0 failed" in done.said, done.said
    assert next((tmp_path / "results").iterdir()).owner() == tmp_path.owner()
