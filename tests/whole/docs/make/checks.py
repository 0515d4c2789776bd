# SPDX-License-Identifier: MIT
"""The text of docs/reference/checks.md, made from the checks, build reasons and quirks themselves.

`./scripts/docs` writes it; a test compares.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from assay.check.against.compare import COMPARISON, EVERYWHERE
from assay.check.check import Check
from assay.check.hash.kind import CHECKS as HASH_CHECKS
from assay.check.kinds import every_check
from assay.check.operation.kind import CHECKS as OPERATION_CHECKS
from assay.check.operation.session import LEAST_SILENCE_SECONDS, SCRIPT_SECONDS, USUAL_TIMES
from assay.check.stream.kind import CHECKS
from assay.check.supercop.outcomes import REPEATED_SECONDS
from assay.check.trial import MOST_SILENCES
from assay.compile.reasons import REASONS, BuildReason
from assay.package.quirks import KnownQuirk, known_quirks

AnyCheck = Check[Any]  # of whatever kind
KINDS: dict[str, tuple[AnyCheck, ...]] = {
    "stream ciphers": CHECKS,
    "hashes": HASH_CHECKS,
    "operations": OPERATION_CHECKS,
}
SENTENCE_END = re.compile(r"(?<=[.?!]) (?=[A-Z`])")
INTRODUCTION = f"""\
# Checks

`./scripts/docs` makes this page from the checks themselves: change them, not this file.

A check asks one question about a built package and answers `pass`, `fail` or `skipped`.
It may also answer `finding`, an observation that does not count against the package, or `open`.
`open` means that something that decides a pass was not examined or compared; exit code 3.
The bench decides by comparing results with what it knows, never by what submitted code prints.
Faults, and agents that end or do not answer, are failures of the check that was running.
Inputs are random unless a vector fixes them, and the evidence of a failure contains them.
`skipped` means that the question does not apply or could not be asked; the reason says which.
It never counts as passed.
A question that never applies to such a package, or on that target, is not listed.

The first configuration of an implementation gets a thorough trial, further ones a short trial.
A short trial runs every check, with fewer sizes, lengths and vectors.
In contests of operations over several configurations (`assay run`) only winners get a thorough
trial; `--all` gives every implementation one.
It still compares all verified vectors for the sizes nearest to 128/64/64 and 256/128/128.
After {MOST_SILENCES} hangs the trial ends, because each one costs the full waiting time.
If one package in one configuration is checked, two processes share the checks.
Each of them ends its part after so many hangs.
What often fails is asked first, in another order than here.
A failure is printed on standard error at once, and with its evidence and cure in the end.

Buffers are aligned to 16 bytes and have room behind them, unless a check says otherwise.

Some rules are lenient, so that honest authors do not fail:

- The API promises aligned buffers, so code that faults on misaligned ones conforms.
  `buffers/alignment` is then skipped and names the fault.
  `buffers/guard` looks as closely as the code's alignment allows.
  Wrong results without a fault fail, because they would go unnoticed.
  An access within the aligned word that holds the last byte never leaves a page.
  It is a finding, provided that it changes nothing behind the end.
- Rules that Assay adds to an API are marked as such.
  If a package's header does not state such a rule, breaking it is a finding.
  This holds for `buffers/in-place` and `context/key-kept`; the macro is `ECRYPT_ASSAY_RULES`.
  A context with pointers into itself always fails: eSTREAM's agility test copies contexts.
  Calls with no blocks must work, because splitting a message into calls produces them.
- Well-known submissions announce keystream functions and lack them.
  That is a quirk of the package; `keystream/functions` is skipped, and nothing depends on it.
- Only for ciphers that generate keystream must a short message be the beginning of a long one.
  All others, and all that authenticate, must agree with the packet of the same length.
- A MAC of 32 bits collides by chance once in four thousand million times.
  `mac/forgery` fails only if three random messages in a row have an undetected change.
"""

SHARED_INTRODUCTION = """\
These are written once and know nothing of a kind but its routines.
A routine is a use of a primitive: its inputs, its outputs, its context, and calls in order.
Kinds are stream ciphers, hashes, and operations of the SUPERCOP API.
If a check runs out of time because the code is slow, it passes with a remark.
The remark states how many of its questions were asked.
"""

HASH_INTRODUCTION = """\
The rules are those of the Shabal paper, Annex A; sections are in brackets.

Checks of the object compile one for the purpose.
Assembly is compiled with `-fpic` if the target supports it, C with `-Os -fpic`.
If that needs helpers of the compiler, `-O1` or `-O2` is used: authors choose levels (A.2.5).
i386 and AVR get the paper's processor, ARM `-ffixed-r9`, and AArch64 `-ffixed-x18`.
Other options may give other results.

The `stepping` checks execute that object instruction by instruction.
It hashes one message in several pieces, plus five bits.
Data and digest have odd addresses, and registers hold garbage.
An emulator in the jail does this, and the bench judges the facts that it reports.
These checks see only what the code does for that message.
The `instructions` checks read all of the code, but do not execute it.
The emulator performs memcpy and memset, and leaves garbage where real ones may.
On MIPS, accesses are decoded from the instructions.
On AVR, writes are seen when they change a byte, and reads are not seen.
Alpha, PA-RISC, SPARC, s390x, m68k and POWER are skipped.
"""

OPERATION_INTRODUCTION = f"""\
Packages of the SUPERCOP API get SUPERCOP's own tests: the same inputs in the same order.
For packages that SUPERCOP accepts, the checksums are `checksumsmall` and `checksumbig`.
The bench compares what calls return and write, with one check for each question.
Checks that SUPERCOP does not have follow.

Buffers end at a page that cannot be accessed, or have margins on both sides.
The agent answers `randombytes` from a key, so that two runs can be compared.
In an emulator `checksum/big` takes minutes and runs only with `--deep`.
The `secrets` and `memory` checks run under valgrind, only with `--deep`.
Checks that do not apply to an operation are not listed: a hash has nothing to forge.
SUPERCOP makes each call several times: at another address, and with outputs where inputs are.
After {REPEATED_SECONDS:.0f} seconds of work, slow code makes each of the remaining calls once.
The checksum is compared all the same; for the other questions a remark counts the inputs left out.
With `--deep` every call is repeated.
Of many packages at once, slow ones are [asked less](../guide/trees.md#many-packages), unless \
`--unhurried` says otherwise.
The bench waits {SCRIPT_SECONDS / 60:.0f} minutes for an answer.
For a forgery it waits {USUAL_TIMES} times as long as the genuine call took, \
from {LEAST_SILENCE_SECONDS:.0f} seconds up to these minutes.
After one hang the trial ends.
[SUPERCOP](../notes/supercop.md) lists what SUPERCOP accepts and these checks reject.
"""

VERDICTS = (
    (
        "package/loads",
        "Can the package be read?",
        "A package whose header lacks a size or a name cannot be built.",
        "The message names the file and what is missing.",
    ),
    (
        "build/fits",
        "Is the package for this machine?",
        (
            "Packages of the SUPERCOP API name ABIs in `architectures` and may need instructions, "
            "libraries and languages that are missing here. They are skipped, with the name of "
            "what is missing; the first SIGILL of a call is looked up in the object code. Code "
            "that includes a compiler's header for another processor is skipped as well, and so "
            "is a variant that stops with #error while another one builds."
        ),
        (
            "Nothing has to be fixed. If it should run here, a line in `architectures` is "
            "missing, or `./scripts/setup` has not been run."
        ),
    ),
    (
        "build/compiles",
        "Do the package's sources compile?",
        "Without an object nothing can be checked.",
        "The reasons below explain each message.",
    ),
    (
        "build/links",
        "Does the package link with the agent?",
        "This finds functions that are declared and missing.",
        "The reasons below explain each message.",
    ),
    (
        "build/warnings",
        "Did the compiler warn of what makes code crash or compute something else?",
        (
            "A function without a declaration is taken to return an int, so that half of a "
            "pointer is lost; calls of such functions are always noted. Other conversions between "
            "pointers and integers, incompatible pointers, missing results, variables without a "
            "value and indices out of bounds are noted where a check fails. A crash follows from "
            "a pointer that was cut. This is a finding, never a failure: compilers warn of right "
            "code, too. Without `-Wall`, as SUPERCOP compiles, gcc is silent on some of this."
        ),
        "Declare each function before it is called, and correct the lines that are named.",
    ),
    (
        "agent/answers",
        "Does the agent that contains the package start and describe it?",
        "Only constructors and `ECRYPT_NAME` run before the first call.",
        "Look at those, and at very large static arrays.",
    ),
    (
        "build/constants",
        "Are the sizes that the header defines ones that a buffer can have?",
        (
            "Callers allocate as many bytes. Constants of operations may be 0 to 2^24, and "
            "contexts, blocks and buffers of ciphers and hashes have 2^30 bytes at most."
        ),
        "Correct the constant in the header; a negative one becomes a very large one.",
    ),
    (
        "agent/patience",
        "Do the package's agents answer within the total time allowed?",
        (
            "Code that sleeps in every call answers each one in time, and checking it could take "
            "days. Only waiting for answers counts, not compiling or waiting for the machine. "
            "Slow code is not wrong: the verdict is open, `not examined to the end`, and checks "
            "that did not run any more are skipped. A check that failed before still fails."
        ),
        "If the code is correct but slow, allow more seconds with `--patience`.",
    ),
    (
        "bench/failed",
        "Could Assay itself examine the package to the end?",
        (
            "What nobody expected ends the examination of one package, and never a campaign. The "
            "evidence names the place in Assay's code. The same command asks again."
        ),
        "Report it with the package: it is a defect of Assay, or of the machine.",
    ),
    (
        "agent/glance",
        "Were all checks run, or were the outputs only compared with known answers?",
        (
            "A first table and a race need right outputs, and the checks take longer. A glance "
            "is no pass: the verdict is open."
        ),
        "`assay check PACKAGE` runs the other checks.",
    ),
    (
        "answers/verified",
        "Are the answers those of files of known answers (`--answers`, or beside the package)?",
        "Published answers come from independent implementations.",
        (
            "Compare the inputs shown with the specification; "
            "[known answers](known-answers.md) describes the formats."
        ),
    ),
    (
        "answers/left-out",
        "Which answers of the file have an input that the package does not accept?",
        (
            "A customised hash without its customisation gives other digests. Such answers are "
            "not compared, and a pass states their number."
        ),
        "The answers belong to another function; use a file for this one.",
    ),
    (
        "answers/version",
        "Are the known answers beside the package those of its version?",
        (
            "Authors change a primitive and leave the file of answers as it was. Where the "
            "outputs are those of a version that is known, or are right by another comparison "
            "while not one answer of the file is, the file is noted and the code not accused."
        ),
        "Replace the file by the answers of this version.",
    ),
    *((one.name, one.asks, one.why, one.cure) for one in (*COMPARISON.values(), *EVERYWHERE)),
)


def sentences(text: str) -> str:
    """Put each sentence on a line of its own."""
    return SENTENCE_END.sub("\n", text)


def check_section(check: AnyCheck) -> str:
    """Write one check, with the kinds that are asked if they are several."""
    asked = [kind for kind, checks in KINDS.items() if check.name in names(checks)]
    kinds = f" Asked of {' and '.join(asked)}." if 1 < len(asked) < len(KINDS) else ""
    return section(check.name, f"{check.asks} {check.origin}{kinds}", check.why, check.cure)


def names(checks: Iterable[AnyCheck]) -> set[str]:
    """Return the names of checks."""
    return {one.name for one in checks}


def shared() -> Iterator[AnyCheck]:
    """Yield the checks that more than one kind is asked, each once."""
    counted = Counter(one.name for checks in KINDS.values() for one in checks)
    for name, check in every_check().items():
        if counted[name] > 1:
            yield check


def own(kind: str) -> list[str]:
    """Write the checks that only one kind is asked."""
    others = names(shared())
    return [check_section(one) for one in KINDS[kind] if one.name not in others]


def section(name: str, asks: str, why: str, cure: str) -> str:
    """Write a question under its name."""
    parts = [f"### {name}", asks, why, f"How to fix it: {cure}"]
    return "\n\n".join(map(sentences, parts)) + "\n"


def reason_section(reason: BuildReason) -> str:
    """Write one reason for which a build fails."""
    meaning, cure = (text.replace("{0}", "NAME") for text in (reason.meaning, reason.cure))
    return f"### {meaning}\n\nHow to fix it: {sentences(cure)}\n"


def quirk_section(quirk: KnownQuirk) -> str:
    """Write one quirk; values that depend on the package are in capitals."""
    message, cure = quirk.spelled(quirk.message), quirk.spelled(quirk.cure)
    return section(quirk.name, message, quirk.why, cure)


def page() -> str:
    """Write the whole file."""
    return "\n".join(
        [
            INTRODUCTION,
            "## Checks of several kinds\n",
            SHARED_INTRODUCTION,
            *map(check_section, shared()),
            "## Checks of stream ciphers\n",
            *own("stream ciphers"),
            "## Checks of hashes\n",
            HASH_INTRODUCTION,
            *own("hashes"),
            "## Checks of operations\n",
            OPERATION_INTRODUCTION,
            *own("operations"),
            "## Verdicts outside the checks\n",
            *(section(*one) for one in VERDICTS),
            "## Reasons for which a package does not build\n",
            *map(reason_section, REASONS),
            "## Quirks\n",
            "A quirk is a departure from the API that Assay accepts.",
            "Words in capitals depend on the package.\n",
            *sorted(map(quirk_section, known_quirks().values())),
        ]
    )
