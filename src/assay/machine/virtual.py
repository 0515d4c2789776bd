# SPDX-License-Identifier: MIT
"""Whether this machine is a container, and what that allows, or one that QEMU emulates.

Podman and Docker leave a file behind, systemd and LXC a variable of the first process;
Kubernetes is recognised by the variable that all of its pods have. An image that was unpacked
onto a disk, for a virtual machine, has the file, too, but its root is the disk's.
"""

import functools
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from assay.machine.cache import cache_folder
from assay.machine.sources import LINUX, Sources
from assay.model import Finding, Trust

_FILES = {"run/.containerenv": "podman", ".dockerenv": "docker"}
_VARIABLE, _POD = "container", "KUBERNETES_SERVICE_HOST"
_NAME_LETTERS = 40
_COST = (
    "Programs outside use processors and caches and are not seen, and other findings that can be "
    "fixed must be fixed outside."
)
_CURE = "Run other commands of this list on the host; start the container with --cpuset-cpus."
_LIMITED_COST = "The kernel stops the container for milliseconds, also while something is timed."
_LIMITED_CURE = "Start the container without --cpus and --cpu-quota."
EMULATOR = "qemu"  # as systemd-detect-virt names it where the processor is not a real one
BOOT = Path("/proc/sys/kernel/random/boot_id")
KEPT = "hypervisor"


def container_of(sources: Sources, environment: Mapping[str, str] = os.environ) -> str | None:
    """Name the sort of container that this process is in; None if there is no sign of one."""
    first = sources.text(sources.proc / "1/environ") or ""
    variables = dict(word.partition("=")[::2] for word in first.split("\0"))
    said = environment.get(_VARIABLE) or variables.get(_VARIABLE)
    if said:
        return "".join(letter for letter in said if letter.isprintable())[:_NAME_LETTERS]
    if environment.get(_POD):
        return "kubernetes"
    if _is_a_disk(sources):
        return None
    names = (name for file, name in _FILES.items() if (sources.root / file).exists())
    return next(names, None)


def _is_a_disk(sources: Sources) -> bool:
    """Return whether the root folder is that of a device: one of a container is below it."""
    for line in (sources.text(sources.proc / "self/mountinfo") or "").splitlines():
        left, _, right = line.partition(" - ")
        root, point = left.split()[3:5]
        if point == "/":
            return root == "/" and right.split()[1].startswith("/dev/")
    return False


def examine_container(sources: Sources) -> Finding:
    """State what being in a container costs."""
    name = container_of(sources)
    if name is None:
        return Finding("container", Trust.GOOD, "no container")
    allowed = processors_allowed(sources)
    if allowed is None:
        return Finding("container", Trust.COSTS, f"in a container ({name})", _COST, _CURE)
    state = f"in a container ({name}) with the time of {allowed:.1f} processors"
    return Finding("container", Trust.BADLY, state, _LIMITED_COST, _LIMITED_CURE)


def processors_allowed(sources: Sources) -> float | None:
    """Return how many processors' time the control group may use; None if it is not limited."""
    folder = sources.sys / "fs/cgroup"
    words = (sources.text(folder / "cpu.max") or "").split()
    if not words:
        quota = sources.text(folder / "cpu/cpu.cfs_quota_us")
        words = [quota or "max", sources.text(folder / "cpu/cpu.cfs_period_us") or "0"]
    if words[0] in {"max", "-1"} or len(words) < 2 or int(words[1]) <= 0:
        return None
    return int(words[0]) / int(words[1])


@functools.cache
def emulated() -> bool:
    """Return whether the processor of this machine is emulated.

    That takes a program some milliseconds, and is asked once after each start of the machine.
    """
    boot = _read(BOOT)
    known, _, name = _read(cache_folder() / KEPT).partition("\n")
    if boot and known == boot and name:
        return name == EMULATOR
    from assay.machine.describe import hypervisor  # noqa: PLC0415 - it imports this module

    name = hypervisor(LINUX) or "none"
    with suppress(OSError):
        (cache_folder() / KEPT).write_text(f"{boot}\n{name}")
    return name == EMULATOR


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""
