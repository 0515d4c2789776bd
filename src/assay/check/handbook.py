# SPDX-License-Identifier: MIT
"""The text of docs/reference/checks.md, made from the checks, build reasons and quirks themselves.

`./scripts/docs` writes it; a test compares.
"""

import re
from typing import Any

from assay.check.check import Check
from assay.check.hash.checks import CHECKS as HASH_CHECKS
from assay.check.operation.checks import CHECKS as OPERATION_CHECKS
from assay.check.stream.checks import CHECKS
from assay.check.trial import MOST_SILENCES
from assay.compile.reasons import REASONS, Reason
from assay.package.known_quirks import KNOWN_QUIRKS, KnownQuirk

SENTENCE_END = re.compile(r"(?<=[.?!]) (?=[A-Z`])")
INTRODUCTION = f"""\
# Checks

`./scripts/docs` makes this page from the checks themselves: change them, not this file.

A check asks one question about a built package and answers `pass`, `fail` or `skipped`.
It may also answer `finding`, an observation that does not count against the package, or `open`.
`open` means that what decides a pass was not examined or not compared; the exit code is then 3.
Verdicts come from comparing what came back with what the bench knows.
Nothing that submitted code prints is one.
A fault, an agent that ends and an agent that does not answer are failures of the check that asked.
Where no vector fixes the inputs they are random, and the evidence of a failure has them.
`skipped` means that the question does not apply or could not be asked; the reason says which.
It is never counted as passed.
A question that never applies, to such a package or on that target, is not listed.

The first configuration of an implementation gets a thorough trial, further ones a short trial.
In a short trial every check still asks its question, of fewer sizes, lengths and vectors.
Verified vectors stay complete for the sizes nearest to 128/64/64 and 256/128/128.
After {MOST_SILENCES} hangs nothing more is asked: each costs as long as an agent is waited for.

Buffers are aligned to 16 bytes and have room behind them, except where a check is about that.

Decisions that were made for the sake of honest authors:

- The API promises aligned buffers, so code that faults on others conforms.
  `buffers/alignment` is then skipped with the place of the fault.
  `buffers/guard` looks as closely as the code's alignment allows.
  Other results without a fault are a failure: nobody would notice them.
  An access within the aligned word that holds the last byte never leaves a page.
  It is a finding, as long as it changes nothing behind the end.
- Rules that Assay adds to an API are marked so.
  Where a package's header does not state such a rule, breaking it is a finding.
  This holds for `buffers/in-place` and `context/key-kept`, and the macro is `ECRYPT_ASSAY_RULES`.
  Pointers of a context into itself always fail: eSTREAM's agility test copies contexts.
  Calls with no blocks must work: the way in which its vectors are split asks for them.
- Well-known submissions announce keystream functions and lack them.
  That is a quirk of the package; `keystream/functions` is skipped, and nothing depends on it.
- A short message must be the beginning of a long one only for ciphers that generate keystream.
  Others, and all that authenticate, must agree with the packet of the same length.
- A MAC of 32 bits collides by chance once in four thousand million times.
  `mac/forgery` fails only if three random messages in a row have a change that is not noticed.
"""

HASH_INTRODUCTION = """\
The rules are those of the Shabal paper, Annex A, whose sections are named in brackets.

What is asked of the object is asked of one that is made for it.
Assembly is compiled with `-fpic`, where the target has that.
C is compiled with `-Os -fpic`.
Where that needs helpers of the compiler it is `-O1` or `-O2`: authors choose levels (A.2.5).
For i386 and AVR it is given the paper's processor, on ARM `-ffixed-r9`, on AArch64 `-ffixed-x18`.
Whoever compiles it without these gets what the compiler makes of it.

The checks named `stepping` execute that object instruction by instruction.
It hashes one message in several pieces, with five further bits.
Data and digest stand at odd addresses, and registers hold garbage.
An emulator does so in the jail; the bench judges the facts that come back.
They see what that message makes the code do, and no more.
The checks named `instructions` look at all of the code, but at nothing that it does.
memcpy and memset are done for the code, and leave garbage where a real one may.
On MIPS accesses are decoded from the instructions.
On AVR a write is seen when it changes a byte, and reads are not seen.
Alpha, PA-RISC, SPARC, s390x, m68k and POWER are not stepped through, and skipped.
"""

OPERATION_INTRODUCTION = """\
Packages of the SUPERCOP API are asked what SUPERCOP asks them: the same inputs in the same order.
Checksums over all outputs equal `checksumsmall` and `checksumbig` for what SUPERCOP accepts.
What the calls return and write is compared in the bench, one question a check.
Behind that come questions that SUPERCOP does not ask.

Buffers end at a page that cannot be accessed, or have margins on both sides.
`randombytes` is answered by the agent from a key, so that two runs can be compared.
In an emulator `checksum/big` is asked in deep trials (`--deep`) only: it takes minutes there.
Checks whose names begin with `secrets` or `memory` run under valgrind, in deep trials only.
A check that an operation has no use for is not listed: nothing can be forged for a hash.
An answer is waited for five minutes, and after one hang nothing more is asked.
What SUPERCOP accepts and these checks do not is told in [SUPERCOP](../notes/supercop.md).
"""

VERDICTS = (
    (
        "package/loads",
        "Can the package be read?",
        "A header that lacks a size or a name leaves nothing that could be built.",
        "The message names the file and what it lacks.",
    ),
    (
        "build/fits",
        "Is the package for this machine?",
        (
            "Packages of the SUPERCOP API name ABIs in `architectures`, and may use instructions, "
            "libraries and languages that are not there. These are skipped, with the name of what "
            "is missing: the first SIGILL of a call is looked up in the object code. So is code "
            "that includes a compiler's header for another processor, and a variant that stops "
            "with #error while another one builds."
        ),
        (
            "Nothing has to be mended. Where it should run, a line in `architectures` is "
            "missing, or `./scripts/setup` has not been run."
        ),
    ),
    (
        "build/compiles",
        "Do the package's sources compile?",
        "What does not compile cannot be asked anything.",
        "The reasons below say what each message means.",
    ),
    (
        "build/links",
        "Does the package link with the agent?",
        "Functions that are declared and missing are found out here.",
        "The reasons below say what each message means.",
    ),
    (
        "agent/answers",
        "Does the agent that contains the package start and describe it?",
        "Constructors and `ECRYPT_NAME` are all that runs before the first call.",
        "Look there, and at very large static arrays.",
    ),
    (
        "agent/patience",
        "Do the package's agents answer everything in the time that they have in all?",
        (
            "Code that sleeps in every call is never silent for long, and a check of it could "
            "take days. Only waiting for answers counts, neither compiling nor waiting for the "
            "machine. It is shown where it fails: what was not asked any more is skipped."
        ),
        "If the code is right and only slow, give it more seconds with `--patience`.",
    ),
    (
        "answers/verified",
        "Are the answers those of a file of known answers (`--answers`)?",
        "Published answers come from other implementations, whoever wrote this one.",
        (
            "Compare the inputs shown with the specification; "
            "[known answers](known-answers.md) says what is asked."
        ),
    ),
    (
        "answers/left-out",
        "Which answers of the file have an input that the package does not take?",
        (
            "A customised hash without its customisation gives other digests, so they are not "
            "compared, and a pass says how many there are."
        ),
        "They are answers of another function; give a file of the package's own.",
    ),
)


def sentences(text: str) -> str:
    """Put each sentence on a line of its own."""
    return SENTENCE_END.sub("\n", text)


def check_section(check: Check[Any]) -> str:
    """Write one check."""
    return section(check.name, f"{check.asks} {check.origin}", check.why, check.mend)


def section(name: str, asks: str, why: str, mend: str) -> str:
    """Write a question under its name."""
    parts = [f"### {name}", asks, why, f"How to mend it: {mend}"]
    return "\n\n".join(map(sentences, parts)) + "\n"


def reason_section(reason: Reason) -> str:
    """Write one reason for which a build fails."""
    meaning, cure = (text.replace("{0}", "NAME") for text in (reason.meaning, reason.cure))
    return f"### {meaning}\n\nHow to mend it: {sentences(cure)}\n"


def quirk_section(quirk: KnownQuirk) -> str:
    """Write one quirk; values that depend on the package are in capitals."""
    message, cure = quirk.spelled(quirk.message), quirk.spelled(quirk.cure)
    return section(quirk.name, message, quirk.why, cure)


def text() -> str:
    """Write the whole file."""
    return "\n".join(
        [
            INTRODUCTION,
            "## Checks of the kind stream\n",
            *map(check_section, CHECKS),
            "## Checks of the kind hash\n",
            HASH_INTRODUCTION,
            *map(check_section, HASH_CHECKS),
            "## Checks of the kind operation\n",
            OPERATION_INTRODUCTION,
            *map(check_section, OPERATION_CHECKS),
            "## Verdicts beside the checks\n",
            *(section(*one) for one in VERDICTS),
            "## Reasons for which a package does not build\n",
            *map(reason_section, REASONS),
            "## Quirks\n",
            "A quirk is a departure from the API that is accepted all the same.",
            "Words in capitals stand for what depends on the package.\n",
            *sorted(map(quirk_section, KNOWN_QUIRKS)),
        ]
    )
