# SPDX-License-Identifier: MIT
"""Compare the shipped stream ciphers with those of a SUPERCOP tree, primitive by primitive.

Each primitive is one campaign of `assay run`: all implementations of both sides, gcc and
clang at -O3 -march=native, key and IV set-up and encryption in each call, launches mixed.
As in SUPERCOP, who has the right checksums competes; `assay check` asks more.
Printed is SUPERCOP's best time divided by ours (above 1 ours is faster), with an interval
of 95 % in brackets.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.whole.ahead.contests import CONTESTS, Contest
from tests.whole.ahead.ratios import SIZES, Ratio, read
from tests.whole.ahead.tree import OPERATION, ROOT, present


def main() -> int:
    """Measure, and print a line for each primitive as soon as it is known."""
    wanted = _wanted()
    known = {one.primitive: one for one in CONTESTS}
    chosen = [known[name] for name in wanted.only or known]
    sys.stdout.write(f"{'primitive':14}" + "".join(f"{size:>20} B" for size in SIZES) + "\n")
    behind = 0
    with tempfile.TemporaryDirectory() as scratch:
        for contest in chosen:
            if not (wanted.tree / OPERATION / contest.primitive).is_dir():
                continue
            found = _measured(contest, wanted, Path(scratch) / contest.primitive)
            behind += sum(one.ratio < 1 for one in found)
            _print(contest, found)
    return 1 if behind else 0


def _wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "./scripts/ahead",
        description=__doc__,
        epilog="Exit code 1: somewhere SUPERCOP's best took less time than ours.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tree", type=Path, help="an unpacked SUPERCOP")
    names = [one.primitive for one in CONTESTS]
    parser.add_argument(
        "--only", nargs="+", choices=names, metavar="PRIMITIVE", help=", ".join(names)
    )
    parser.add_argument("--launches", default="10", help="processes per figure [%(default)s]")
    parser.add_argument("--results", type=Path, required=True, help="a folder for the results")
    return parser.parse_args()


def _measured(contest: Contest, wanted: argparse.Namespace, made: Path) -> tuple[Ratio, ...]:
    """Run one campaign over both sides; what a results folder has is not measured again."""
    present(contest, wanted.tree, made)
    results = wanted.results / contest.primitive
    accepted = ("--accept", "checksum/") if contest.other_sums else ()
    subprocess.run(
        [
            ROOT / "scripts" / "assay",
            "run",
            *(f"{OPERATION}/{name}" for name in (contest.primitive, *contest.rivals)),
            *("--tree", made, "--tree", wanted.tree, "--results", results, "--all", "--best", "2"),
            *("--launches", wanted.launches, "--glance", *accepted),
        ],
        check=False,  # 1 if any of all implementations fails to build
        stdout=sys.stderr,
    )
    return read(results)


def _print(contest: Contest, found: tuple[Ratio, ...]) -> None:
    """Print the ratios of one primitive, and which implementations they are of."""
    by_size = {one.size_bytes: one for one in found}
    cells = (_cell(by_size.get(size)) for size in SIZES)
    sys.stdout.write(f"{contest.primitive:14}" + "".join(f"{cell:>22}" for cell in cells) + "\n")
    for one in found:
        told = " (disturbed)" if one.disturbed else ""
        sys.stdout.write(f"    {one.size_bytes:5}: {one.ours} against {one.theirs}{told}\n")
    if contest.remark:
        sys.stdout.write(f"    {contest.remark}\n")
    sys.stdout.flush()


def _cell(one: Ratio | None) -> str:
    if one is None:
        return "not measured"
    if one.low is None or one.high is None:
        return f"{one.ratio:.2f}"
    return f"{one.ratio:.2f} [{one.low:.2f}, {one.high:.2f}]"


sys.exit(main())
