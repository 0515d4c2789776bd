# SPDX-License-Identifier: MIT
"""Reads /proc and /sys; what is not there is None."""

from pathlib import Path

from msgspec import Struct


class Sources(Struct, frozen=True):
    """Where the kernel tells about the machine; tests put folders of their own here."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    root: Path = Path("/")

    def text(self, path: Path) -> str | None:
        """Read a file of the kernel's, without the blanks around it."""
        try:
            return path.read_text(errors="replace").strip()
        except OSError:
            return None

    def cpuinfo(self) -> str:
        """Read /proc/cpuinfo; empty where there is none."""
        return self.text(self.proc / "cpuinfo") or ""

    def cpu(self, name: str) -> str | None:
        """Read a file below /sys/devices/system/cpu, such as `smt/active`."""
        return self.text(self.sys / "devices/system/cpu" / name)

    def switch(self, name: str) -> bool | None:
        """Read a file of that folder that holds 0 or 1."""
        return {"0": False, "1": True}.get(self.cpu(name) or "")


LINUX = Sources()


def cpuinfo_fields(text: str) -> list[tuple[str, str]]:
    """Split /proc/cpuinfo into its names and values, of all processors in order."""
    pairs = (line.partition(":") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in pairs if colon]
