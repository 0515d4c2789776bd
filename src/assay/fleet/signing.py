# SPDX-License-Identifier: MIT
"""Signatures by the tools that people have keys for: OpenSSH's ssh-keygen, and minisign.

No tool may ask for a passphrase: a worker has nobody who would answer. Keys with one are in
an agent, and minisign's have none. A signature that a stranger sent is parsed by the tool alone.
"""

import base64
import binascii
import hashlib
import os
import re
import subprocess
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import AssayError, MachineError, UsageError
from assay.report.printable import printable

NAMESPACE = "assay-bundle"
SECONDS = 60.0
LARGEST_BYTES = 64 << 10  # of a signature or a key; RSA's of 16,384 bits have 6 KiB
_GOOD = re.compile(r"^Good \S+ signature .*?(\S+) key (SHA256:\S+)", re.MULTILINE)
_MINISIGN = b"untrusted comment:"
_CURES = (
    ("passphrase", "Hand the key to an agent first: `ssh-add {key}`."),
    ("agent refused", "Unlock the agent, or confirm what it asks; `ssh-add -l` lists its keys."),
    ("too open", "`chmod 600 {key}`"),
    ("assword", "Of minisign's keys only those without a password work: `minisign -G -W`."),
)
_CURE = "Name a private key, or a public one whose other half an agent has (`ssh-add -l`)."


class BadSignatureError(AssayError):
    """What was signed and the signature do not fit, or the signer is not an allowed one."""


class Signature(Struct, frozen=True):
    """A signature: `key` as the tool names it, and whose it is by the list of allowed signers.

    `signer` is empty where no list was given. `holds` is False where nothing could be verified:
    minisign cannot without the public key.
    """

    tool: str
    key: str
    signer: str = ""
    holds: bool = True

    def __str__(self) -> str:
        """State who signed, in words for a reader."""
        if not self.holds:
            return f"{self.tool} key {self.key}, not verified"
        return f"{self.signer} ({self.tool} key {self.key})" if self.signer else (
            f"{self.tool} key {self.key}"
        )  # fmt: skip


class _Tool(Struct, frozen=True):
    """A program that signs, what its signatures are called, and where it comes from."""

    program: str
    end: str
    cure: str


SSH = _Tool("ssh-keygen", ".sig", "apt-get install openssh-client")
MINISIGN = _Tool("minisign", ".minisig", "apt-get install minisign")
ENDS = (SSH.end, MINISIGN.end)


def sign(file: Path, key: Path) -> Path:
    """Sign a file; return the signature's own, beside it. The key is ssh's or minisign's.

    UsageError for a key that cannot be used, MachineError without the tool.
    """
    if not key.is_file():
        cure = f"Name a key that is there; `ssh-keygen -t ed25519 -f {key}` makes one."
        raise UsageError(f"there is no key {key}", cure)
    if _starts(key, _MINISIGN):
        tool, words = MINISIGN, ["-S", "-s", str(key), "-t", NAMESPACE, "-m", str(file)]
    else:
        tool, words = SSH, ["-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(file)]
    done = _run(tool, words)
    signature = file.with_name(file.name + tool.end)
    if done.returncode or not signature.is_file():
        said = _said(done)
        cure = next((cure for sign, cure in _CURES if sign in said), _CURE)
        raise UsageError(f"{key} cannot sign: {said}", cure.format(key=key))
    return signature


def verify(file: Path, signature: Path, allowed: Path | None = None) -> Signature:
    """Return who signed a file; BadSignatureError if the signature does not hold.

    `allowed` is a list of allowed signers as ssh-keygen has it, or a public key of minisign's;
    a signer who is not there is an error, too.
    """
    if signature.stat().st_size > LARGEST_BYTES:
        raise BadSignatureError(f"a signature has more than {LARGEST_BYTES} bytes", "Refuse it.")
    if allowed is not None and not allowed.is_file():
        raise UsageError(f"there is no file {allowed}", "Name a list of allowed signers.")
    if signature.name.endswith(MINISIGN.end):
        return _by_minisign(file, signature, allowed)
    done = _run(SSH, ["-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(signature)], file)
    good = _GOOD.search(done.stdout)
    if done.returncode or good is None:
        raise BadSignatureError(
            f"the signature does not hold: {_said(done)}",
            "Somebody changed what was signed; ask the sender for it again.",
        )
    found = Signature("ssh", f"{good[1]} {good[2]}")
    return found if allowed is None else _listed(found, file, signature, allowed)


def fingerprint(public: str) -> str:
    """Return the fingerprint of a public key as ssh-keygen prints it; UsageError if it is none."""
    words = public.split()
    try:
        kind, blob = words[0], base64.b64decode(words[1], validate=True)
        length = int.from_bytes(blob[:4], "big")
        fits = blob[4 : 4 + length] == kind.encode()
    except (IndexError, binascii.Error, ValueError):
        fits = False
    if not fits:
        raise UsageError(f"{printable(public[:40])!r} is no public key", "Send a line of KEY.pub.")
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    return f"SHA256:{digest}"


def _listed(found: Signature, file: Path, signature: Path, allowed: Path) -> Signature:
    """Return a signature with the name of its signer in a list; BadSignatureError without one."""
    lookup = _run(SSH, ["-Y", "find-principals", "-s", str(signature), "-f", str(allowed)])
    said = _said(lookup)
    for name in filter(None, (one.strip() for one in lookup.stdout.splitlines())):
        words = ["-Y", "verify", "-f", str(allowed), "-I", name, "-n", NAMESPACE]
        done = _run(SSH, [*words, "-s", str(signature)], file)
        if not done.returncode:
            return replace(found, signer=printable(name))
        said = _said(done)
    raise BadSignatureError(
        f"it is signed by {found.key}, which {allowed} does not allow: {said}",
        "If you trust that key for this, add it to the list: `NAME KEYTYPE KEY`.",
    )


def _by_minisign(file: Path, signature: Path, allowed: Path | None) -> Signature:
    """Return who signed with minisign; without a public key nothing is verified."""
    try:
        line = signature.read_bytes().split(b"\n")[1]
        number = int.from_bytes(base64.b64decode(line, validate=True)[2:10], "little")
    except (IndexError, binascii.Error):
        raise BadSignatureError("the signature is none of minisign's", "Refuse it.") from None
    found = Signature("minisign", f"{number:016X}")
    if allowed is None:
        return replace(found, holds=False)
    if not _starts(allowed, _MINISIGN):
        raise BadSignatureError(
            f"it is signed by minisign's key {found.key}, and {allowed} is no such key",
            "Name the signer's public key of minisign.",
        )
    done = _run(MINISIGN, ["-V", "-q", "-p", str(allowed), "-m", str(file), "-x", str(signature)])
    if done.returncode:
        raise BadSignatureError(
            f"the signature does not hold: {_said(done)}",
            "Somebody changed what was signed, or it is another's; ask the sender.",
        )
    return replace(found, signer=printable(allowed.stem))


def _run(
    tool: _Tool, words: list[str], told: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool that can ask nobody; MachineError if it is missing or does not end."""
    quiet = {**os.environ, "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
    try:
        with (told or Path(os.devnull)).open("rb") as stream:
            return subprocess.run(
                [tool.program, *words], stdin=stream, capture_output=True, text=True, env=quiet,
                errors="replace", timeout=SECONDS, start_new_session=True, check=False,
            )  # fmt: skip
    except FileNotFoundError:
        raise MachineError(f"there is no {tool.program} on this machine", tool.cure) from None
    except subprocess.TimeoutExpired:
        raise MachineError(
            f"{tool.program} does not end", "See whether an agent waits for a confirmation."
        ) from None


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a tool said last, in one line, but for its frames and prompts."""
    lines = [one.strip(" @") for one in done.stderr.splitlines()]
    kept = [one for one in lines if one and "WARNING" not in one]
    return printable("; ".join(kept)[-300:]) or "it did not say why"


def _starts(path: Path, magic: bytes) -> bool:
    """Return whether a file begins with some bytes."""
    try:
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False
