# SPDX-License-Identifier: MIT
"""`assay-live`, the command of the live image, on folders that stand for a machine."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts/live/root/usr/local/bin/assay-live"
MEMINFO = "MemTotal:        8000000 kB\nMemFree:  1 kB\n"


class Stand:
    """Files below a folder and programs on the path, which stand for a machine."""

    def __init__(self, folder: Path) -> None:
        """Begin with 8 GB of memory and nothing else."""
        self.root = folder / "root"
        self.programs = folder / "programs"
        self.programs.mkdir()
        self.write("proc/meminfo", MEMINFO)
        self.program("udevadm", "exit 0")
        self.program("blkid", "exit 2")

    def write(self, name: str, text: str) -> Path:
        """Write a file of the machine."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name: str, body: str) -> None:
        """Put a program in front of the system's."""
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def call(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Call the command."""
        return self._run([str(SCRIPT), *arguments])

    def function(self, *words: str) -> str:
        """Call one of its functions; return what it prints."""
        done = self._run(
            ["bash", "-c", 'source "$0/assay-live"; "$@"', str(SCRIPT.parent), *words]
        )
        assert done.stderr == ""
        return done.stdout.strip()

    def _run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        path = f"{self.programs}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "ASSAY_LIVE_ROOT": str(self.root)}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment
        )


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    """Give a machine without processors, disks or a network."""
    return Stand(tmp_path)


def processor(stand: Stand, number: int, siblings: str) -> tuple[Path, Path]:
    """Add a processor; return its governor and its switch."""
    folder = f"sys/devices/system/cpu/cpu{number}"
    stand.write(f"{folder}/topology/thread_siblings_list", f"{siblings}\n")
    governor = stand.write(f"{folder}/cpufreq/scaling_governor", "powersave\n")
    return governor, stand.write(f"{folder}/online", "1\n")


def test_the_other_thread_of_the_isolated_core_is_switched_off(stand: Stand) -> None:
    """Only that one: the processors that build stay."""
    switches = [processor(stand, one, f"{one % 2},{one % 2 + 2}") for one in range(4)]
    stand.write("sys/devices/system/cpu/isolated", "3\n")
    stand.function("quiet")
    assert [online.read_text() for _, online in switches] == ["1\n", "0\n", "1\n", "1\n"]
    assert {governor.read_text() for governor, _ in switches} == {"performance\n"}


def test_no_processor_is_switched_off_where_none_is_isolated(stand: Stand) -> None:
    """With the second entry of the menu, or one processor, all go on."""
    switches = [processor(stand, one, "0-1") for one in range(2)]
    stand.write("sys/devices/system/cpu/isolated", "\n")
    stand.function("quiet")
    assert [online.read_text() for _, online in switches] == ["1\n", "1\n"]


@pytest.mark.parametrize(
    ("switch", "value"), [("intel_pstate/no_turbo", "1\n"), ("cpufreq/boost", "0\n")]
)
def test_turbo_is_turned_off_whichever_switch_there_is(
    stand: Stand, switch: str, value: str
) -> None:
    """Intel's driver and the others count in opposite directions."""
    file = stand.write(f"sys/devices/system/cpu/{switch}", "x\n")
    stand.function("quiet")
    assert file.read_text() == value


def test_a_machine_keeps_its_name_so_that_results_of_two_do_not_mix(stand: Stand) -> None:
    """Product and the first card's address; without either there is still a name."""
    assert stand.function("name") == "assay"
    stand.write("sys/class/dmi/id/product_name", "OptiPlex 7010 (Rev. 2)\n")
    assert stand.function("name") == "optiplex-7010-rev-2"
    stand.write("sys/class/net/enp3s0/address", "aa:bb:cc:dd:ee:02\n")
    stand.write("sys/class/net/enp2s0/address", "aa:bb:cc:dd:ee:01\n")
    stand.write("sys/class/net/lo/address", "00:00:00:00:00:00\n")
    assert stand.function("name") == "optiplex-7010-rev-2-ee01"


def test_results_stay_in_memory_where_no_partition_is_labelled(stand: Stand) -> None:
    """The status says so, and how to get them off."""
    stand.function("place")
    said = stand.call("status").stdout
    assert "in memory (no partition is labelled ASSAY-DATA)" in said
    assert "assay-live save" in said


def test_a_partition_that_cannot_be_mounted_is_named_with_the_reason(stand: Stand) -> None:
    """The boot goes on with results in memory."""
    stand.program("blkid", "echo /dev/sdb1")
    stand.program("mount", "echo 'mount: wrong fs type' >&2; exit 32")
    stand.function("place")
    assert "in memory (/dev/sdb1 cannot be used: mount: wrong fs type)" in (
        stand.call("status").stdout
    )


def test_a_partition_that_can_be_written_takes_the_results(stand: Stand) -> None:
    """Nothing is left on it by the attempt."""
    stand.program("blkid", 'test "$2" = ASSAY-DATA && echo /dev/sdb1')
    stand.program("mount", "exit 0")
    stand.function("place")
    said = stand.call("status").stdout
    assert "Results: in /results, on /dev/sdb1" in said
    assert "in memory" not in said
    assert list((stand.root / "results").iterdir()) == []


def test_little_memory_and_little_room_are_warned_of(stand: Stand) -> None:
    """Each in a line, before anything fails."""
    stand.function("place")
    assert "Warning" not in stand.call("status").stdout
    stand.write("proc/meminfo", "MemTotal: 1500000 kB\n")
    stand.program("df", "echo Avail; echo 12")
    said = stand.call("status").stdout
    assert "Warning: 2000 MB of memory are advised" in said
    assert "Warning: only 12 MB are free for results" in said


def test_the_server_is_not_started_where_no_address_is_given(stand: Stand) -> None:
    """A line says what to do instead, and the network is off again."""
    stand.program("ip", "exit 0")
    stand.program("sleep", "exit 0")
    stand.program("systemctl", f'echo "$@" >>{stand.root}/asked')
    done = stand.call("ssh", "on")
    assert done.returncode == 2
    assert "error: no network" in done.stderr
    asked = (stand.root / "asked").read_text()
    assert "start ssh" not in asked
    assert "stop systemd-networkd" in asked


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("nonsense",), "assay-live takes no nonsense"),
        (("ssh", "maybe"), "ssh is on or off"),
        (("save", "/dev/no-such-device"), "there is no device /dev/no-such-device"),
    ],
)
def test_wrong_arguments_are_refused(
    stand: Stand, arguments: tuple[str, ...], expected: str
) -> None:
    """The line names the value; the exit code is that of wrong usage."""
    done = stand.call(*arguments)
    assert done.returncode == 2
    assert f"error: {expected}" in done.stderr
