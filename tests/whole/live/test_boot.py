# SPDX-License-Identifier: MIT
"""The live image boots, measures without a network, and its results can be carried off."""

import hashlib
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pexpect
import pytest
from tests.whole.live import machine as live

ROOT = Path(__file__).parents[3]
MEASURE = "assay start trivium salsa20 --best 1 --launches 1"
MOST_BYTES = 1_500_000_000
TOOLS = ("qemu-system-x86_64", "mcopy", "mkfs.ext4", "debugfs", "ssh")

pytestmark = [
    pytest.mark.image,
    pytest.mark.skipif(
        not all(map(shutil.which, TOOLS)) or not live.OVMF.is_dir(),
        reason="QEMU, OVMF or the tools of file systems are missing: ./scripts/setup --image",
    ),
]

accelerators = pytest.mark.parametrize(
    "accelerator",
    [
        "tcg",
        pytest.param("kvm", marks=pytest.mark.skipif(bool(live.no_kvm()), reason=live.no_kvm())),
    ],
)


def built(file: Path) -> Path:
    """Build the image as the user does."""
    done = subprocess.run(
        [ROOT / "scripts/image", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return file


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the image that ASSAY_IMAGE names, or build one."""
    named = os.environ.get("ASSAY_IMAGE")
    return Path(named) if named else built(tmp_path_factory.mktemp("image") / "assay.iso")


def report_in(folder: Path) -> str:
    """Return the text of the one report that was written."""
    (page,) = folder.glob("reports-*/index.html")
    return page.read_text()


def test_the_image_fits_and_lists_what_is_in_it(image: Path) -> None:
    """At most 1.5 GB, with the versions of all packages next to it."""
    assert image.stat().st_size <= MOST_BYTES
    listed = image.with_name(image.name + ".packages").read_text()
    assert re.search(r"^gcc-12 \S+ amd64$", listed, re.MULTILINE)
    assert "grub-efi-amd64-signed" in listed


def test_a_second_build_has_the_same_bytes(image: Path, tmp_path: Path) -> None:
    """Neither dates nor orders nor random names of a build are in the image."""
    if os.environ.get("ASSAY_IMAGE"):
        pytest.skip("ASSAY_IMAGE names an image; without it, two are built and compared")
    again = built(tmp_path / "again.iso")
    sums = []
    for one in (image, again):
        with one.open("rb") as file:
            sums.append(hashlib.file_digest(file, "sha256").hexdigest())
    assert sums[0] == sums[1]


@accelerators
def test_a_stick_boots_by_bios_and_writes_its_report_to_a_stick_with_fat(
    image: Path, tmp_path: Path, accelerator: str
) -> None:
    """The serial console gets a shell unasked; `assay start` measures without a network.

    QEMU emulates the processor, and once more lets this one run the machine, where it can.
    """
    results = tmp_path / "results.img"
    live.make_fat(results, "ASSAY-DATA")
    options = [*live.stick(image), *live.disk(results)]
    with live.machine(tmp_path, *options, accelerator=accelerator) as booted:
        said = live.plain(booted.reach_prompt())
        assert "booted by BIOS" in said
        assert "Results: in /results, on /dev/vda" in said
        assert "processor 1 is kept free for measuring" in said
        booted.photograph(tmp_path / "screen.png")
        assert (tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")
        code, said = booted.run("assay doctor")
        assert "processor 1 is isolated" in said
        code, said = booted.run(MEASURE)
        assert code == 0, said
        booted.switch_off()
    live.read_fat(results, tmp_path / "read")
    report = report_in(tmp_path / "read")
    assert {"TRIVIUM", "Salsa20"} <= set(re.findall(r"TRIVIUM|Salsa20", report))


@accelerators
def test_a_disc_boots_by_uefi_and_writes_its_report_to_a_disk_of_linux(
    image: Path, tmp_path: Path, accelerator: str
) -> None:
    """The other firmware, drive and file system; the result is the same."""
    results = tmp_path / "results.img"
    live.make_ext4(results, "ASSAY-DATA")
    options = [*live.uefi(tmp_path), *live.disc(image), *live.disk(results)]
    with live.machine(tmp_path, *options, accelerator=accelerator) as booted:
        said = live.plain(booted.reach_prompt())
        assert "booted by UEFI" in said
        assert "Results: in /results, on /dev/vda" in said
        code, said = booted.run(MEASURE)
        assert code == 0, said
        booted.switch_off()
    live.read_ext4(results, tmp_path / "read")
    report = report_in(tmp_path / "read")
    assert {"TRIVIUM", "Salsa20"} <= set(re.findall(r"TRIVIUM|Salsa20", report))


def test_without_disk_and_network_results_stay_in_memory_and_a_stick_takes_them(
    image: Path, tmp_path: Path
) -> None:
    """Each is said in a line, on a machine with one processor, and the shell is there."""
    saved = tmp_path / "saved.img"
    live.make_fat(saved, "HOLIDAYS")
    options = [*live.disc(image), *live.disk(saved)]
    with live.machine(tmp_path, *options, processors=1) as booted:
        said = live.plain(booted.reach_prompt())
        assert "in memory (no partition is labelled ASSAY-DATA)" in said
        assert "one processor only" in said
        code, said = booted.run("assay-live ssh on")
        assert code == 2
        assert "error: no network" in said
        assert booted.run("assay check rc4/ref > /results/verdict")[0] == 0
        listed = re.search(r"/dev/vda\d?", booted.run("assay-live save")[1])
        assert listed
        assert booted.run(f"assay-live save {listed[0]}")[0] == 0
        code, said = booted.run("assay-live save /dev/sdz9")
        assert (code, "there is no device /dev/sdz9" in said) == (2, True)
        booted.switch_off()
    live.read_fat(saved, tmp_path / "read")
    assert (tmp_path / "read/verdict").read_text().startswith("pass  rc4/ref")


def test_the_ssh_server_is_off_until_it_is_turned_on(image: Path, tmp_path: Path) -> None:
    """Nothing listens before; then the password that is shown opens it, until it is off."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    network = ["-nic", f"user,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22"]
    with live.machine(tmp_path, *live.disc(image), *network) as booted:
        booted.reach_prompt()
        listening = "grep -c ':0016 00000000:0000 0A' /proc/net/tcp"
        assert "\n0\n" in booted.run(listening)[1]
        booted.run("echo carried > /results/off")
        code, said = booted.run("assay-live ssh on")
        assert code == 0, said
        word = said.split("Password: ")[1].split()[0]
        assert "carried" in attempt(port, word)
        assert booted.run("assay-live ssh off")[0] == 0
        assert "\n0\n" in booted.run(listening)[1]
        booted.switch_off()


def attempt(port: int, word: str) -> str:
    """Read a result over SSH with a password; return all that was said."""
    options = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
               "-o", "ConnectTimeout=20", "-o", "NumberOfPasswordPrompts=1"]  # fmt: skip
    child = pexpect.spawn(
        "ssh", [*options, "-p", str(port), "root@127.0.0.1", "cat /results/off"],
        encoding="utf-8", timeout=120,
    )  # fmt: skip
    try:
        if child.expect(["assword:", pexpect.EOF]):
            return str(child.before)
        asked = str(child.before) + "password:"
        child.sendline(word)
        child.expect(pexpect.EOF)
        return asked + str(child.before)
    finally:
        child.close(force=True)


def test_too_little_memory_ends_in_a_line_and_a_shell(image: Path, tmp_path: Path) -> None:
    """The boot does not die in the middle: the console says why, and takes commands."""
    with live.machine(tmp_path, *live.disc(image), memory="512M") as booted:
        booted.console.expect(
            r"not enough memory: [0-9]+ MB, and 900 MB are needed", timeout=booted.patience_seconds
        )
        booted.console.expect("# ")
        booted.console.sendline("echo $((6 * 7))")
        booted.console.expect(r"\n42\r")
