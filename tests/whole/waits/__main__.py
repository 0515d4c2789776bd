# SPDX-License-Identifier: MIT
"""Measure how long a person waits: for `start`, a check, a campaign of SUPERCOP and a tree.

`start` begins with an empty cache, in a copy of the clone's packages. With a SUPERCOP TREE its
twelve primitives are measured, and a sample of its implementations is checked. Let nothing else
run meanwhile. Times are by the clock of this machine, so compare ratios.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.whole.waits.timed import ROOT, Waited, wait_for

FIRST = "This is a first look"
TWELVE = (
    *("crypto_hash/sha256", "crypto_hash/blake2b", "crypto_hash/md5", "crypto_hash/sha512"),
    *("crypto_stream/salsa20", "crypto_stream/chacha20", "crypto_stream/hc128"),
    *("crypto_aead/ascon128v12", "crypto_kem/mlkem768", "crypto_kem/kyber768"),
    *("crypto_sign/ed25519", "crypto_scalarmult/curve25519"),
)
ACCEPTED = ("--accept", "buffers/guard", "--accept", "object/", "--accept", "memory/leak")
# What is checked after an edit, and what is edited: the size of an array on the stack, so that
# the object code is another one each time.
SMALL = (
    ("submissions/chacha20/ref", "u8 block[64]", "u8 block[64 + {}]"),
    ("submissions/sha256/portable", "u32 v[8 + 64]", "u32 v[8 + 64 + {}]"),
)
ARRAY_STEP = 16  # of its items: a smaller one may leave the stack as it was
BROKEN = ("submissions/chacha20/ref", "ROTL32(*d, 16)", "ROTL32(*d, 15)")
WHOLE_TREE = 4900  # implementations of SUPERCOP
PASSED, JUDGED = (0,), (0, 1, 3)  # exit codes: all pass; or a verdict on every package


def main() -> None:
    """Measure one after another, and print each as soon as it is known."""
    wanted = _wanted()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _start(folder / "start")
        for name, old, new in SMALL:
            _edit_and_check(ROOT / name, folder / "small", old, new)
        _first_failure(folder / "broken", *BROKEN)
        if wanted.tree is not None:
            _campaign(wanted, folder / "campaign")
            _tree(wanted, folder / "tree")


def _wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "./scripts/waits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tree", type=Path, nargs="?", help="an unpacked SUPERCOP")
    parser.add_argument(
        "--supercop-seconds",
        type=float,
        metavar="S",
        help="what SUPERCOP took for the same twelve primitives (docs/notes/supercop.md)",
    )
    parser.add_argument("--sample", default="40", metavar="N", help="of the tree [%(default)s]")
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _require(done: Waited, what: str, codes: tuple[int, ...]) -> Waited:
    """Return what was waited for; end everything if it did not end well: its time says nothing."""
    if done.code not in codes:
        sys.exit(f"{what} ended with exit code {done.code}: {done.last_line}")
    return done


def _start(folder: Path) -> None:
    """Time the main job in a folder that has the clone's packages and nothing else."""
    folder.mkdir()
    for name in ("submissions", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    done = wait_for(["start"], folder / "cache", [FIRST], folder, folder)
    _require(done, "start", JUDGED)
    first = done.seen.get(FIRST)
    told = f"{first:.0f} s" if first is not None else "none"
    _say(f"start: first table {told}, the report {done.seconds:.0f} s ({done.last_line})")


def _copied(package: Path, folder: Path) -> Path:
    """Copy a package, with the vectors beside it, to where a user works on it."""
    shutil.copytree(package, folder / "mine")
    for path in package.parent.glob("verified*"):
        shutil.copy(path, folder / "mine" / path.name)
    return folder / "mine"


def _edit_and_check(package: Path, folder: Path, old: str, new: str) -> None:
    """Time a check of a package whose code has just changed, again and again."""
    mine = _copied(package, folder / package.parent.name)
    source = next(iter(sorted(mine.glob("*.c"))))
    original = source.read_text()
    if old not in original:
        sys.exit(f"{source.name} of {package} has no {old} any more: name another edit in SMALL")
    times = []
    for number in range(1, 7):
        source.write_text(original.replace(old, new.format(number * ARRAY_STEP)))
        done = wait_for(["check", mine], folder / "cache")
        times.append(_require(done, f"a check of {package.parent.name}", PASSED).seconds)
    _say(f"edit and check {package.parent.name}: {statistics.median(times[1:]):.2f} s")


def _first_failure(folder: Path, package: str, old: str, new: str) -> None:
    """Time until the first failure of a broken package is printed, and until its check ends."""
    mine = _copied(ROOT / package, folder)
    for source in mine.glob("*.c"):
        source.write_text(source.read_text().replace(old, new))
    wait_for(["check", mine], folder / "cache")
    done = wait_for(["check", mine], folder / "cache", ["FAIL"])
    _require(done, "a check of what is broken", (1,))
    _say(f"first failure: {done.seen['FAIL']:.2f} s, all of the check {done.seconds:.2f} s")


def _campaign(wanted: argparse.Namespace, folder: Path) -> None:
    """Time the twelve primitives with gcc and clang, from an empty cache."""
    words = ["run", *TWELVE, "--tree", wanted.tree, "--best", "2", *ACCEPTED]
    done = wait_for([*words, "--results", folder / "results"], folder / "cache")
    _require(done, "the campaign", JUDGED)
    ratio = ""
    if wanted.supercop_seconds:
        ratio = f", {done.seconds / wanted.supercop_seconds:.2f} of SUPERCOP's time"
    _say(f"twelve primitives: {done.seconds:.0f} s{ratio}")


def _tree(wanted: argparse.Namespace, folder: Path) -> None:
    """Time checks of a sample, and say what that means for all implementations."""
    folder.mkdir()
    begun = time.monotonic()
    words = ["check", "--tree", wanted.tree, "--sample", wanted.sample, "--seed", "1"]
    _require(wait_for(words, folder / "cache", cwd=folder), "the sample", JUDGED)
    each = (time.monotonic() - begun) / int(wanted.sample)
    _say(f"tree: {each:.1f} s each, so {WHOLE_TREE * each / 3600:.1f} hours for {WHOLE_TREE}")


main()
