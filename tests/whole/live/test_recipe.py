# SPDX-License-Identifier: MIT
"""What the live image is made of, and how `scripts/image` is called."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[3]
LIVE = ROOT / "scripts/live"
SHELL = [
    ROOT / "scripts/image",
    *(LIVE / name for name in ("build", "before", "inside")),
    LIVE / "root/usr/local/bin/assay-live",
    LIVE / "root/etc/profile.d/assay.sh",
    LIVE / "root/etc/initramfs-tools/scripts/init-premount/assay_memory",
]
LABEL_OF_FAT = 11  # the most characters, Microsoft's FAT specification 1.03, BPB_VolLab


def image(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Call the command."""
    return subprocess.run(
        [ROOT / "scripts/image", *arguments], capture_output=True, text=True, check=False
    )


def locked(name: str) -> dict[str, Version]:
    """Return the versions in a list of Python packages; every line has a checksum."""
    found = {}
    for line in (LIVE / name).read_text().splitlines()[1:]:  # below the licence
        match = re.fullmatch(r"([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", line)
        assert match, line
        found[match[1]] = Version(match[2])
    return found


def catalogue() -> list[dict[str, object]]:
    """Return the catalogue's targets."""
    text = (ROOT / "src/assay/targets/catalogue.toml").read_text()
    return list(tomllib.loads(text)["target"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--fast",), "image takes no option --fast"),
        (("a.iso", "b.iso"), "image makes one file, not a.iso and b.iso"),
        (("--snapshot", "yesterday"), "--snapshot yesterday is no time"),
        (("--snapshot",), "--snapshot needs a value"),
        (("--mirror", "ftp://x"), "--mirror ftp://x is no http address"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_built(
    arguments: tuple[str, ...], expected: str
) -> None:
    """The line names the value; the exit code is that of wrong usage."""
    done = image(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error: {expected}" in done.stderr


def test_the_help_is_shown_without_building() -> None:
    """It names every option."""
    done = image("--help")
    assert done.returncode == 0
    for option in ("--without-targets", "--mirror", "--snapshot", "--list"):
        assert option in done.stdout


def test_the_list_has_the_tools_of_targets_unless_they_are_left_out() -> None:
    """Names come from the catalogue, so a new target is on the next image."""
    every, few = image("--list"), image("--without-targets", "--list")
    assert {"gcc", "clang", "linux-image-amd64", "qemu-user", "gcc-s390x-linux-gnu"} <= set(
        every.stdout.split()
    )
    assert "gcc-s390x-linux-gnu" not in few.stdout.split()
    assert {"gcc", "clang", "linux-image-amd64"} <= set(few.stdout.split())
    assert "wine" not in every.stdout.split()
    assert every.stdout.splitlines() == sorted(set(every.stdout.splitlines()))


def test_every_target_that_is_left_out_exists_and_has_a_reason() -> None:
    """A target that was renamed is not left out in silence."""
    names = {one["name"] for one in catalogue()}
    lines = (LIVE / "without").read_text().splitlines()
    for line in (one for one in lines if one and not one.startswith("#")):
        name, reason = line.split(maxsplit=1)
        assert name in names
        assert reason


def test_the_libraries_of_every_target_without_a_system_stay() -> None:
    """The rest of what newlib brings for other processors is taken away."""
    compiler = "arm-none-eabi-gcc"
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is missing: ./scripts/setup --test, as root")
    match = re.search(r"^ +(\S+(?: \| \S+)*)\) ;;$", (LIVE / "inside").read_text(), re.MULTILINE)
    assert match
    kept = set(match[1].split(" | "))
    used = set()
    for one in (each for each in catalogue() if each["compiler"] == compiler):
        options = [str(option) for option in one["options"]]  # type: ignore[attr-defined]
        done = subprocess.run(
            [compiler, *options, "-print-multi-directory"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        thumb, variant, *_ = done.stdout.strip().split("/")
        assert thumb == "thumb"
        used.add(variant)
    assert used == kept


def test_the_image_has_all_that_setup_installs() -> None:
    """What `scripts/setup` brings by default works on the image, too, without a network."""
    setup = (ROOT / "scripts/setup").read_text()
    wanted = set()
    for name in ("packages", "optional", "libraries"):
        match = re.search(rf"^{name}=\(([^)]*)\)", setup, re.MULTILINE)
        assert match
        wanted |= set(match[1].split())
    assert "libsodium-dev" in wanted
    assert wanted <= set(image("--list").stdout.split())


def test_the_locked_python_packages_are_what_assay_asks_for() -> None:
    """A dependency that is added or raised has to be locked, or the image would lack it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [Requirement(one) for one in project["project"]["dependencies"]]
    have = locked("run.lock")
    assert {one.name.lower() for one in asked} <= set(have)
    outdated = [str(one) for one in asked if have[one.name.lower()] not in one.specifier]
    assert outdated == []
    (backend,) = (Requirement(one) for one in project["build-system"]["requires"])
    assert locked("build.lock")[backend.name] in backend.specifier


def test_the_label_of_results_fits_every_file_system() -> None:
    """FAT takes the shortest, and is on most sticks."""
    text = (LIVE / "root/usr/local/bin/assay-live").read_text()
    match = re.search(r"^label=(\S+)$", text, re.MULTILINE)
    assert match
    assert len(match[1]) <= LABEL_OF_FAT
    assert match[1] in (ROOT / "docs/guide/live-image.md").read_text()


def test_every_entry_of_the_boot_menu_has_both_consoles() -> None:
    """The screen and the serial line both get a shell, and nothing waits for a key."""
    text = (LIVE / "grub.cfg").read_text()
    assert "console=ttyS0,115200 console=tty0" in text
    assert re.search(r"^set timeout=[0-9]$", text, re.MULTILINE)
    lines = [line for line in text.splitlines() if line.strip().startswith("linux ")]
    assert lines
    assert all("$plain" in line for line in lines)


@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_the_shell_parses_every_script(script: Path) -> None:
    """What runs only at boot would be found out late."""
    first = script.read_text().partition("\n")[0]
    shell = "bash" if "bash" in first else "sh"
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_shellcheck_finds_nothing(script: Path) -> None:
    """Quotes that are missing show only when a name has a space."""
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is missing: ./scripts/setup --test, as root")
    # SC2016: what another shell expands stands in single quotes on purpose.
    options = ["--exclude", "SC2016", *([] if script.suffix != ".sh" else ["--shell", "bash"])]
    done = subprocess.run(
        ["shellcheck", *options, script], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""


def test_the_names_program_names_a_target_that_is_unknown(tmp_path: Path) -> None:
    """Leaving out what does not exist is a mistake in the list."""
    copy = tmp_path / "live"
    shutil.copytree(LIVE, copy)
    with (copy / "without").open("a") as file:
        file.write("no-such-target  gone\n")
    done = subprocess.run(
        [sys.executable, copy / "names.py", ROOT, "--targets"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "the catalogue has no target no-such-target" in done.stderr
