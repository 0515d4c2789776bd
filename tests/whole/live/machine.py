# SPDX-License-Identifier: MIT
"""A machine of QEMU that boots the live image, and a keyboard at its serial console."""

import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pexpect

OVMF = Path("/usr/share/OVMF")
PROMPT = r"root@[a-z0-9-]+:[^#\r\n]*# "
SECONDS = {"kvm": 1800, "tcg": 7200}  # for what takes longest, on a machine that is not quiet

# Emulated, the strings of ERMS and FSRM are stored byte by byte: a page takes eight times as many
# steps to clear, and kernel and C library use them where they are offered.
PROCESSORS = {"kvm": "host", "tcg": "max,-erms,-fsrm"}


def no_kvm() -> str:
    """Return why this processor cannot run machines itself, or nothing."""
    if os.environ.get("ASSAY_TEST_TCG"):
        return "ASSAY_TEST_TCG is set"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "there is no /dev/kvm that may be used"
    # The device alone is not enough: without these its machines hang before the kernel starts.
    if {"vmx", "svm"}.isdisjoint(Path("/proc/cpuinfo").read_text().split()):
        return "there is a /dev/kvm, but the processor has neither vmx nor svm"
    return ""


FASTEST = "tcg" if no_kvm() else "kvm"


@dataclass(frozen=True)
class Booted:
    """A machine that runs, its console, the socket of QEMU's monitor, and how long it is given."""

    console: "pexpect.spawn[str]"
    monitor: Path
    patience_seconds: int

    def reach_prompt(self) -> str:
        """Wait for the shell; return what stood on the console before it."""
        self.console.expect(PROMPT, timeout=self.patience_seconds)
        return str(self.console.before)

    def run(self, command: str) -> tuple[int, str]:
        """Type a command; return its exit code and what it printed."""
        self.console.sendline(f"{command}; echo code=$?")
        self.console.expect(r"code=([0-9]+)\r", timeout=self.patience_seconds)
        printed, code = str(self.console.before), int(self.console.match[1])
        self.console.expect(PROMPT)
        return code, plain(printed)

    def photograph(self, file: Path) -> None:
        """Save what the screen shows."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(60)
            line.connect(str(self.monitor))
            stream = line.makefile("rw")
            stream.readline()
            picture = {"filename": str(file), "format": "png"}
            for request in (
                {"execute": "qmp_capabilities"},
                {"execute": "screendump", "arguments": picture},
            ):
                stream.write(json.dumps(request) + "\n")
                stream.flush()
                answer = json.loads(stream.readline())
                assert "return" in answer, answer

    def switch_off(self) -> None:
        """Type what ends it, and wait until it has ended."""
        self.console.sendline("assay-live off")
        self.console.expect(pexpect.EOF, timeout=self.patience_seconds)


def plain(text: str) -> str:
    """Take away what moves a cursor and chooses colours."""
    return re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|[()][A-Z0-9])", "", text).replace("\r", "")


def uefi(folder: Path) -> list[str]:
    """Return QEMU's options for UEFI; its variables are kept in a folder."""
    variables = shutil.copy(OVMF / "OVMF_VARS_4M.fd", folder / "variables.fd")
    flash = "if=pflash,format=raw"
    return [
        "-drive", f"{flash},readonly=on,file={OVMF / 'OVMF_CODE_4M.fd'}",
        "-drive", f"{flash},file={variables}",
    ]  # fmt: skip


def stick(image: Path) -> list[str]:
    """Return QEMU's options for the image on a USB stick, from which it boots."""
    return [
        "-device", "qemu-xhci",
        "-drive", f"if=none,id=stick,format=raw,readonly=on,file={image}",
        "-device", "usb-storage,drive=stick,bootindex=1",
    ]  # fmt: skip


def disc(image: Path) -> list[str]:
    """Return QEMU's options for the image in a DVD drive, from which it boots.

    A BIOS would otherwise try the hard disk first, and a disk with FAT looks like one to boot.
    """
    return [
        "-drive", f"if=none,id=disc,media=cdrom,format=raw,readonly=on,file={image}",
        "-device", "ide-cd,drive=disc,bootindex=1",
    ]  # fmt: skip


def disk(file: Path) -> list[str]:
    """Return QEMU's options for a disk."""
    return ["-drive", f"if=virtio,format=raw,file={file}"]


@contextmanager
def machine(
    folder: Path,
    *options: str,
    memory: str = "2560M",
    processors: int = 2,
    accelerator: str = FASTEST,
) -> Iterator[Booted]:
    """Start a machine; what its console says is kept in a file of the folder."""
    monitor = folder / "monitor"
    common = [
        "-accel", accelerator, "-cpu", PROCESSORS[accelerator],
        "-m", memory, "-smp", str(processors), "-display", "none", "-vga", "std",
        "-no-reboot", "-qmp", f"unix:{monitor},server=on,wait=off", "-serial", "stdio",
    ]  # fmt: skip
    network = [] if "-nic" in options else ["-nic", "none"]
    with (folder / "console.log").open("w") as log:
        console = pexpect.spawn(
            "qemu-system-x86_64", [*common, *network, *options],
            encoding="utf-8", codec_errors="replace", timeout=300, dimensions=(50, 200),
            logfile=log,
        )  # fmt: skip
        console.logfile_send = None
        try:
            yield Booted(console, monitor, SECONDS[accelerator])
        finally:
            console.close(force=True)


def make_fat(file: Path, label: str) -> None:
    """Make a disk of 256 MB with a FAT file system, as sticks have it."""
    file.touch()
    os.truncate(file, 256 << 20)
    subprocess.run(["mformat", "-i", file, "-F", "-v", label, "::"], check=True)


def make_ext4(file: Path, label: str) -> None:
    """Make a disk of 256 MB with Linux's file system."""
    subprocess.run(["mkfs.ext4", "-q", "-L", label, file, "256M"], check=True)


def read_fat(file: Path, folder: Path) -> None:
    """Copy what a disk with FAT has to a folder."""
    folder.mkdir()
    subprocess.run(["mcopy", "-i", file, "-s", "-n", "-Q", "::*", folder], check=True)


def read_ext4(file: Path, folder: Path) -> None:
    """Copy what a disk with Linux's file system has to a folder."""
    folder.mkdir()
    subprocess.run(["debugfs", "-R", f"rdump / {folder}", file], check=True, capture_output=True)
