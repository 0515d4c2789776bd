# SPDX-License-Identifier: MIT
"""What the doctor says inside a container: simulated ones, as their programs mark them."""

from pathlib import Path

import pytest

from assay.machine.sources import Sources
from assay.machine.virtual import container_of, examine_container, processors_allowed
from assay.model import Trust


@pytest.fixture(autouse=True)
def _outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin outside of any container, wherever the tests run."""
    monkeypatch.delenv("container", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


def sources(folder: Path, **files: str) -> Sources:
    """Make a machine with these files; two underscores stand for a slash."""
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Sources(folder / "proc", folder / "sys", folder)


def test_a_machine_without_marks_is_no_container(tmp_path: Path) -> None:
    """The first process of a usual machine has an environment, too."""
    there = sources(tmp_path, proc__1__environ="HOME=/\0TERM=linux\0")
    assert examine_container(there).trust is Trust.GOOD
    assert examine_container(there).state == "no container"


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("run/.containerenv", "", "podman"),
        (".dockerenv", "", "docker"),
        ("proc/1/environ", "HOME=/\0container=lxc\0", "lxc"),
    ],
)
def test_each_mark_names_the_container(tmp_path: Path, path: str, text: str, name: str) -> None:
    """A file of podman or docker, or the variable of the first process."""
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text)
    found = examine_container(sources(tmp_path))
    assert (found.state, found.trust) == (f"in a container ({name})", Trust.COSTS)
    assert "host" in found.cure
    assert found.cost


@pytest.mark.parametrize(
    ("mount", "name"),
    [
        ("22 1 254:0 / / rw,relatime - ext4 /dev/vda rw", None),
        ("22 1 254:0 /vfs/dir/1a / rw,relatime - ext4 /dev/vda rw", "docker"),
        ("22 1 0:51 / / rw,relatime - overlay overlay rw,lowerdir=/x", "docker"),
    ],
)
def test_an_image_unpacked_onto_a_disk_is_no_container(
    tmp_path: Path, mount: str, name: str | None
) -> None:
    """Virtual machines are made of images, and keep the file of the container."""
    marks = {
        ".dockerenv": "",
        "proc__self__mountinfo": f"{mount}\n23 22 0:5 / /proc rw - proc p r",
    }
    assert container_of(sources(tmp_path, **marks), {}) == name


def test_variables_of_this_process_name_the_container(tmp_path: Path) -> None:
    """The environment of the first process can be read by root alone."""
    there = sources(tmp_path)
    assert container_of(there, {"container": "systemd-nspawn"}) == "systemd-nspawn"
    assert container_of(there, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}) == "kubernetes"
    assert container_of(there, {"container": ""}) is None


def test_a_name_cannot_write_into_a_terminal(tmp_path: Path) -> None:
    """Whoever starts the container chooses the variable."""
    assert container_of(sources(tmp_path), {"container": "\x1b[2J" + "x" * 99}) == "[2J" + "x" * 37


@pytest.mark.parametrize(
    ("files", "processors"),
    [
        ({"sys__fs__cgroup__cpu.max": "150000 100000\n"}, 1.5),
        ({"sys__fs__cgroup__cpu.max": "max 100000\n"}, None),
        (
            {
                "sys__fs__cgroup__cpu__cpu.cfs_quota_us": "50000\n",
                "sys__fs__cgroup__cpu__cpu.cfs_period_us": "100000\n",
            },
            0.5,
        ),
        ({"sys__fs__cgroup__cpu__cpu.cfs_quota_us": "-1\n"}, None),
        ({}, None),
    ],
)
def test_a_limit_of_processor_time_is_read(
    tmp_path: Path, files: dict[str, str], processors: float | None
) -> None:
    """Both versions of control groups write it, each in its own form."""
    assert processors_allowed(sources(tmp_path, **files)) == processors


def test_a_limited_container_costs_much_trust(tmp_path: Path) -> None:
    """The kernel stops it in the middle of a measurement."""
    files = {"run__.containerenv": "", "sys__fs__cgroup__cpu.max": "150000 100000"}
    found = examine_container(sources(tmp_path, **files))
    assert found.trust is Trust.BADLY
    assert "1.5 processors" in found.state
    assert "--cpus" in found.cure
