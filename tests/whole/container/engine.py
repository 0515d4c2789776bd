# SPDX-License-Identifier: MIT
"""Podman or buildah, with what each can do on this machine."""

import functools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RECIPE = ROOT / "scripts/Containerfile"
IMAGE = "localhost/assay-test"
OWN_BASE, USUAL_BASE = "localhost/assay-test-base", "docker.io/library/debian:bookworm-slim"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# A guest of a guest may have less than podman would ask for.
SMALL = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=2000:2000")
NESTED = (
    "--security-opt", "seccomp=unconfined", "--security-opt", "label=disable",
    "--security-opt", "unmask=ALL",
)  # fmt: skip
"""What lets bubblewrap make namespaces inside, as docs/guide/container.md says."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command in a container ended with."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Engine:
    """The words that run a container, up to the image."""

    words: tuple[str, ...]

    def run(self, *arguments: str, options: tuple[str, ...] = (), tool: str = "assay") -> Done:
        """Run one command in a container of the image."""
        container = (*options, "--entrypoint", tool, IMAGE)
        return call(*self.words, *container, *arguments)


def call(*words: str) -> Done:
    """Run a command of this machine."""
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    return Done(done.returncode, done.stdout + done.stderr)


def base() -> str:
    """Return the image to begin with: the usual one, or one made of Debian's packages."""
    named = os.environ.get("ASSAY_CONTAINER_BASE")
    if named:
        return named
    if call("podman", "image", "exists", OWN_BASE).code == 0:
        return OWN_BASE
    return USUAL_BASE if call("podman", "pull", "-q", USUAL_BASE).code == 0 else _bootstrapped()


def build() -> Done:
    """Build the image; layers that did not change are kept from the last time."""
    options = ["--network", "host", "--isolation", "chroot", *SMALL[:2]]
    if CERTIFICATES.exists():
        options += ["--volume", f"{CERTIFICATES.parent}:{CERTIFICATES.parent}:ro"]
        options += ["--build-arg", f"PIP_CERT={CERTIFICATES}"]
    options += ["--build-arg", f"BASE={base()}"]
    return call("podman", "build", *options, "-f", str(RECIPE), "-t", IMAGE, str(ROOT))


@functools.cache
def runner() -> Engine | str:
    """Return the first way to run a container that works here, or what the last one said."""
    said = "podman is not installed: apt-get install podman"
    for runtime in ("crun", "runc"):
        if shutil.which(runtime):
            words = ("podman", "--runtime", runtime, "run", "--rm", "--network", "none", *SMALL)
            tried = Engine(words).run(tool="true")
            if tried.code == 0:
                return Engine(words)
            said = tried.said.strip()
    return said


def _bootstrapped() -> str:
    """Make a base of Debian's packages, for machines that reach no registry."""
    archive = Path(os.environ.get("TMPDIR", "/tmp"), "assay-test-base.tar")  # noqa: S108
    words = ("mmdebstrap", "--variant=minbase", "--include=ca-certificates", "bookworm")
    try:
        for done in (call(*words, str(archive)), call("podman", "import", str(archive), OWN_BASE)):
            assert done.code == 0, done.said
    finally:
        archive.unlink(missing_ok=True)
    return OWN_BASE
