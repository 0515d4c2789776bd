# SPDX-License-Identifier: MIT
"""Runs candidates: which of them are compilers, and which are the same one twice.

Call this only when the user has agreed to have the candidates executed. Microsoft's compiler,
which answers to no option of the others, is recognised by itself.
"""

import hashlib
import platform
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from assay.model import Compiler
from assay.toolchain.process import Finished, in_parallel, run, runner
from assay.toolchain.search import CompilerCandidate, family_of

_WITHOUT_SYSTEM = re.compile(r"^avr$|-none-|-elf$")  # triples of microcontrollers
_TRIVIAL = '#include <stdio.h>\nint main(void) { return puts("works") < 0; }\n'
_FAMILY_MACROS = (
    ("__clang__", "clang"),
    ("__TINYC__", "tcc"),
    ("__INTEL_COMPILER", "icc"),
    ("__GNUC__", "gcc"),
)
UNNAMED = "cc"  # the family of a compiler that does not name itself
_ORDER = ("gcc", "clang", "icc", "tcc", UNNAMED)
_PASS = re.compile(r'^ *"?(?P<program>/[^" ]+)"? .*-(?:cc1|quiet)\b', re.MULTILINE)
_STANDARD_NAMES = ("cc", "c99")
_BANNER = re.compile(r"Microsoft \(R\) .*?Compiler Version (?P<version>[\d.]+) for (?P<cpu>\w+)")


class Survey(Struct, frozen=True):
    """The compilers that work, once each, and (command, reason) of those that do not."""

    compilers: tuple[Compiler, ...]
    rejected: tuple[tuple[str, str], ...]


def survey(candidates: Iterable[CompilerCandidate]) -> Survey:
    """Run every candidate, reject what does not work, discard duplicates."""
    asked = tuple(candidates)
    answers = in_parallel(lambda each: examine(each.command), asked)
    working = [answer for answer in answers if isinstance(answer, Compiler)]
    rejected = [
        (each.command, answer)
        for each, answer in zip(asked, answers, strict=True)
        if isinstance(answer, str)
    ]
    return Survey(without_duplicates(working), tuple(rejected))


def examine(command: str) -> Compiler | str:
    """Learn what a command is by running it; a sentence says why it is no use.

    `identity` is the digest of the program that does the compiling (gcc's cc1,
    clang itself) with its target: drivers, links, `c99` scripts and compiler
    caches in front of one compiler share it.
    """
    words = shlex.split(command)
    found = shutil.which(words[0]) if words else None
    if found is None:
        return "it is not on the path"
    if family_of(command) == "msvc":
        return refusal(words)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        place = Path(folder)
        place.joinpath("empty.c").touch()
        macros = predefined_macros(words, place) or predefined_macros(words, place)
        target = _target(words, macros, place)
        problem = _problem(words, target, place)
        if problem:
            return problem
        return Compiler(
            family=_family(macros),
            command=command,
            path=Path(found),
            version=_version(words, place),
            target=target,
            identity=_identity(words, Path(found), target, place),
        )


def without_duplicates(compilers: Iterable[Compiler]) -> tuple[Compiler, ...]:
    """Keep one name of each compiler: the shortest that says what it is.

    `gcc` is kept of `gcc`, `gcc-12` and `cc`.
    """
    kept: dict[str, Compiler] = {}
    for compiler in sorted(compilers, key=_preference):
        kept.setdefault(compiler.identity, compiler)
    return tuple(sorted(kept.values(), key=_place_in_list))


def predefined_macros(words: list[str], folder: Path) -> frozenset[str]:
    """Name the macros that are defined before the first line; `folder` has an empty.c."""
    return frozenset(name for name, _ in definitions(words, folder))


def definitions(words: list[str], folder: Path) -> frozenset[tuple[str, str]]:
    """Return the macros that are defined before the first line, each with its text."""
    outcome = run([*words, "-dM", "-E", "empty.c"], folder)
    lines = outcome.output.splitlines() if outcome.ok else []
    parts = (line.split(maxsplit=2) for line in lines)
    return frozenset((part[1], "".join(part[2:])) for part in parts if len(part) > 1)


def _problem(words: list[str], target: str, folder: Path) -> str:
    """Compile and run a trivial program; an empty string if that goes well.

    Where there is no system there may be no library to link a program with.
    """
    bare = _WITHOUT_SYSTEM.search(target) is not None
    folder.joinpath("trivial.c").write_text(_TRIVIAL)
    trivial = ["-c", "empty.c"] if bare else ["trivial.c"]
    built = run([*words, *trivial, "-o", "trivial"], folder)
    if not built.ok:
        return f"it cannot compile a trivial program{_first_line(built)}"
    wrapper = None if bare else runner(target)
    if wrapper is None:
        return ""
    ran = run([*wrapper, "./trivial"], folder)
    if ran.ok and ran.output == "works\n":
        return ""
    return f"what it compiles does not run{_first_line(ran)}"


def _first_line(outcome: Finished) -> str:
    """Quote the first line of what a process complained about."""
    lines = outcome.messages.strip().splitlines()
    return f": {lines[0][:200]}" if lines else ""


def _family(macros: frozenset[str]) -> str:
    """Return the family by the macros by which compilers name themselves."""
    return next((family for macro, family in _FAMILY_MACROS if macro in macros), UNNAMED)


def _version(words: list[str], folder: Path) -> str:
    """Quote the first line of what the compiler says about itself."""
    for option in ("--version", "-v", "-V"):
        outcome = run([*words, option], folder)
        text = (outcome.output or outcome.messages).strip()
        if outcome.ok and text:
            return text.splitlines()[0]
    return ""


def _target(words: list[str], macros: frozenset[str], folder: Path) -> str:
    """Ask for the target; compilers that do not say (tcc) are taken for native ones."""
    outcome = run([*words, "-dumpmachine"], folder)
    answer = outcome.output.strip()
    if outcome.ok and re.fullmatch(r"[\w.]+(-[\w.]+)*", answer):
        return answer
    cpu = "i386" if "__i386__" in macros else platform.machine()
    return f"{cpu}-{platform.system().lower()}"


def _identity(words: list[str], driver: Path, target: str, folder: Path) -> str:
    """Digest the program that does the compiling."""
    digest = hashlib.sha256(" ".join([target, *words[1:]]).encode())
    digest.update(program_of(words, driver, folder).read_bytes())
    return digest.hexdigest()


def program_of(words: list[str], driver: Path, folder: Path) -> Path:
    """Return the program that the driver says it would start, or the driver.

    `folder` has an empty.c.
    """
    dry_run = run([*words, "-###", "-c", "empty.c"], folder)
    match = _PASS.search(dry_run.messages) if dry_run.ok else None
    program = Path(match["program"]) if match else driver
    return program if program.is_file() else driver


def _preference(compiler: Compiler) -> tuple[bool, int, str]:
    """Order the names of one compiler, the best first."""
    standard = compiler.command in _STANDARD_NAMES
    return standard, len(compiler.command), compiler.command


def _place_in_list(compiler: Compiler) -> tuple[int, bool, int, str]:
    """Order different compilers for a list: by family, and plain names first."""
    standard = compiler.command in _STANDARD_NAMES
    dashes = compiler.command.count("-")
    return _ORDER.index(compiler.family), standard, dashes, compiler.command


def refusal(words: list[str]) -> str:
    """Return why a command named `cl` is not used, with its version if it is Microsoft's.

    The agent and its adapters are GNU C (statement expressions, attributes, `asm`), which
    clang, gcc, icc and icx take and cl does not.
    """
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        outcome = run(words, Path(folder))
    match = _BANNER.search(f"{outcome.messages}\n{outcome.output}")
    if match is None:
        return "it does not answer as Microsoft's compiler, or as any other"
    return (
        f"Microsoft C/C++ {match['version']} for {match['cpu']} cannot compile the agent, "
        "which is GNU C; for Windows use clang or mingw-w64 (docs/reference/targets.md)"
    )
