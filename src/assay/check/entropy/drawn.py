# SPDX-License-Identifier: MIT
"""How much keys and ciphertexts draw from `randombytes`, and whether all of it counts.

A key of which eight bytes were drawn is found by trying 2^64, whatever it looks like, and so
is one of 64 drawn bytes of which two are used.

What becomes of keys and ciphertexts when `randombytes` fails, from any of its calls on.
SUPERCOP's `randombytes` returns nothing: nobody can report that it failed, and neither can code
that declares one without a result. Code that declares one with a result must look at it. That of
NIST's and PQClean's layouts has a result, too, which their reference code ignores: a finding.
Whatever crashes, ends the program or goes on for ever costs availability, and nothing else: a
remark.
"""

import posixpath
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product

from assay.check.check import Check, CheckFailed, CheckFinding
from assay.check.operation.calling import CallAnswer, CallInputs, Repeated
from assay.check.operation.script import GeneratorFault
from assay.check.operation.session import MOST_LOGGED, SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, flipped
from assay.check.secret_uses import covered, words
from assay.execute.agent import AgentFault, AgentLost, AgentSilent
from assay.model.api import Role
from assay.package.conditions import active_text
from assay.package.text import read_text

LENGTH = 37
LEAST, ENOUGH = 16, 32  # bytes of a secret
PUBLIC = (Role.PUBLIC_KEY, Role.CIPHERTEXT)
SECONDS, DEEP_SECONDS = 0.25, 5.0
MOST_SEED, BIT_SECONDS, MOST_SHOWN = 64, 0.15, 3  # bytes of which each bit is flipped
MOST_BYTES, DEEP_BYTES = 192, 4096  # of which each is changed alone
MOST_SUPPLIED = 65_536  # that an agent keeps
MOST_REJECTED = 16  # some code draws again what it cannot use
FEWEST = 64  # that stand for all
BITS = 8
CLAMPED = {  # bits of a scalar that X25519 and X448 set (RFC 7748, section 5), by its bytes
    32: frozenset({0, 1, 2, 254, 255}),
    56: frozenset({0, 1, 447}),
}
CHANGES = (0xFF, 0x01, 0x5A)  # a byte may be reduced, or have bits that are set anyway


def run_drawn(trial: OperationTrial) -> str:
    """Count what is drawn for each key, ciphertext and signature, and change each byte of it."""
    trial.require_randomness()
    with trial.session() as session:
        calls = [one for one in trial.calls(session, LENGTH).values() if trial.draws(one)]
        remarks = [_examine(trial, session, one) for one in calls]
        idle = [_idle_bits(trial, session, one) for one in calls]
    if any(idle):
        raise CheckFinding("; ".join(filter(None, idle)))
    return "; ".join(filter(None, remarks))


def _needed(routine: Routine) -> int:
    """Return how many bytes the secret has that a call makes, at most `ENOUGH`."""
    outputs = (routine.variables[name] for name in routine.outputs)
    return min([ENOUGH, *(one.size for one in outputs if one.role not in PUBLIC)])


def _examine(trial: OperationTrial, session: OperationSession, routine: Routine) -> str:
    """Judge one function; return what was left out."""
    session.agent.forget_buffers()
    calls = Repeated(session, routine)
    first = calls.answer(CallInputs())
    total, need = sum(first.drawn), _needed(routine) if trial.must_draw(routine) else 0
    if not total:
        remark = f"{routine.name} drew nothing in this call"  # calls/randomness looks at that
        return remark if need else ""
    _require(routine, total, need, f"draws {total} bytes")
    if total > MOST_SUPPLIED or first.draws > MOST_LOGGED:
        return f"{routine.name} draws {total} bytes: not changed"
    counts = _Counts.of(trial, calls, total)
    if counts.suffice:
        used, public = counts.share(counts.of_any), counts.share(len(counts.of_public))
        _require(routine, used, need, f"draws {total} bytes, of which {used} count")
        text = f"makes {counts.public} of {public} of the {total} bytes that it draws"
        _require(routine, public, min(LEAST, need), text)
        hidden = counts.share(len(counts.of_public - counts.shown))
        text = f"makes {counts.public} of {hidden} drawn bytes and of others that stand in it"
        _require(routine, hidden, min(LEAST, need), text)
        bits = total * (BITS - len(counts.idle_bits)) // BITS
        if bits < need and counts.idle_bits:
            named = ", ".join(map(str, counts.idle_bits))
            text = f"makes nothing of bit {named} of any of the {total} bytes that it draws"
            raise CheckFinding(f"{routine.name} {text}")
    idle = counts.idle
    if len(idle) >= LEAST and not _draws_again(trial, calls, total):
        raise CheckFinding(
            f"{routine.name} draws {total} bytes, of which nothing depends on bytes {idle[0]} to "
            f"{idle[-1]}: what they were drawn for is made of others, or of none"
        )
    return counts.remark(routine)


def _idle_bits(trial: OperationTrial, session: OperationSession, routine: Routine) -> str:
    """Return which bits of a seed change nothing, each flipped alone, as long as there is time.

    Where much is drawn, samples are made of it, and not every bit of those need count.
    """
    session.agent.forget_buffers()
    calls = Repeated(session, routine)
    total = sum(calls.answer(CallInputs()).drawn)
    data = next(_accepted(trial, calls, total), b"") if total <= MOST_SEED else b""
    if not data:
        return ""
    true = calls.outputs(CallInputs(data))
    budget = trial.budget(DEEP_SECONDS if trial.deep else BIT_SECONDS)
    places = trial.some(range(BITS * total))
    idle = [
        at
        for at in budget.each(calls.session, places)
        if calls.outputs(CallInputs(flipped(data, at // BITS, 1 << at % BITS))) == true
    ]
    tried = places[: budget.asked]
    if not idle or _are_clamped(idle, tried, total) or _draws_again(trial, calls, total):
        return ""
    shown = ", ".join(f"bit {at % BITS} of byte {at // BITS}" for at in sorted(idle)[:MOST_SHOWN])
    number = f"{len(idle)} of {len(tried)} bits"
    return f"{routine.name} makes nothing of {number} that it draws: {shown}"


def _are_clamped(idle: Sequence[int], tried: Sequence[int], total: int) -> bool:
    """Return whether idle bits are those that a scalar among the drawn bytes has set, all of them.

    A hybrid KEM draws its scalar beside other bytes.
    """
    return any(
        {BITS * start + bit for bit in clamped}.intersection(tried) == set(idle)
        for size, clamped in CLAMPED.items()
        for start in range(0, total - size + 1, size)
    )


def _require(routine: Routine, count: int, need: int, text: str) -> None:
    """Fail below 16 bytes, and report as a finding what is less than the secret."""
    if count < min(LEAST, need):
        raise CheckFailed(f"{routine.name} {text}: an attacker can try all of them")
    if count < need:
        raise CheckFinding(f"{routine.name} {text}: fewer than {need}")


def _draws_again(trial: OperationTrial, calls: Repeated, total: int) -> bool:
    """Return whether a call may draw less: what it has rejected changes nothing."""
    seeds = (CallInputs(seed=trial.bytes(len(SEED))) for _ in range(MOST_REJECTED))
    return any(sum(calls.answer(one).drawn) != total for one in seeds)


class _Counts:
    """How many drawn bytes were changed, and what followed from it."""

    def __init__(self, routine: Routine, total: int) -> None:
        self.total = total
        self.tried = self.of_any = 0
        self.of_public: set[int] = set()
        self.shown: set[int] = set()  # drawn bytes that stand in the public output
        self.without_effect: set[int] = set()
        self.idle_bits: list[int] = []
        public = (name for role in PUBLIC for name in routine.having(role))
        self.public = next((one for one in public if one in routine.outputs), routine.outputs[0])

    @classmethod
    def of(cls, trial: OperationTrial, calls: Repeated, total: int) -> "_Counts":
        """Change drawn bytes, each alone, as long as there is time."""
        found = cls(calls.routine, total)
        budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
        data = next(_accepted(trial, calls, total), b"")
        true = calls.outputs(CallInputs(data)) if data else {}
        most = DEEP_BYTES if trial.deep else MOST_BYTES
        places = trial.some(range(total), most)
        if true:
            found.shown = set(covered(data, words([true[found.public]])))
            for at in budget.each(calls.session, places):
                found._change(calls, data, at, true)
            each = [(bit, bytes(one ^ 1 << bit for one in data)) for bit in range(BITS)]
            found.idle_bits = [n for n, one in each if calls.outputs(CallInputs(one)) == true]
        return found

    def _change(self, calls: Repeated, data: bytes, at: int, true: dict[str, bytes]) -> None:
        """Change a byte in some ways, until the public output is another one."""
        changed: set[str] = set()
        for bits in CHANGES:
            other = calls.outputs(CallInputs(flipped(data, at, bits)))
            changed |= {name for name in other if other[name] != true[name]}
            if self.public in changed:
                break
        self.tried += 1
        self.of_any += bool(changed)
        self.without_effect |= set() if changed else {at}
        self.of_public |= {at} if self.public in changed else set()

    @property
    def suffice(self) -> bool:
        """Return whether enough bytes were changed to judge all of them."""
        return self.tried >= min(self.total, FEWEST)

    def share(self, count: int) -> int:
        """Return how many of all drawn bytes behave as `count` of those that were tried."""
        return -(-count * self.total // self.tried)

    @property
    def idle(self) -> list[int]:
        """Return the longest run of bytes that change nothing."""
        longest: list[int] = []
        run: list[int] = []
        for at in sorted(self.without_effect):
            run = [*run, at] if run and run[-1] == at - 1 else [at]
            longest = max(longest, run, key=len)
        return longest

    def remark(self, routine: Routine) -> str:
        """Return what was not tried, and what did not count."""
        unused, texts = self.tried - self.of_any, []
        if unused:
            texts.append(f"{unused} of {self.tried} changed bytes of randombytes change nothing")
        if self.tried < self.total:
            texts.append(f"{self.tried} of {self.total} drawn bytes changed")
        return f"{routine.name}: {', '.join(texts)}" if texts else ""


def _accepted(trial: OperationTrial, calls: Repeated, total: int) -> Iterator[bytes]:
    """Yield random bytes that the code does not reject: it draws no others after them."""
    for data in (trial.bytes(total) for _ in range(MOST_REJECTED)):
        if sum(calls.answer(CallInputs(data)).drawn) == total:
            yield data


CHECK = Check(
    "entropy/drawn",
    "Do keys and ciphertexts draw enough random bytes, and does each of them count?",
    (
        "A secret key of 32 bytes that is expanded from 8 random ones, or a key pair that uses "
        "2 of 64 drawn bytes, looks as random as any other, and is found by trying. Below 16 "
        "bytes that fails; fewer than the secret has, up to 32, are a finding, and so are 16 "
        "drawn bytes in a row that change nothing, also of a signature, and a bit that is left "
        "out of each, or of a seed of up to 64 bytes. What is drawn for a secret and stands in "
        "the public key or in the ciphertext is everybody's, and does not count."
    ),
    "Draw as many bytes as the scheme's security needs, and use all of them.",
    run_drawn,
)


CLOCK_SECONDS, DEEP_CLOCK_SECONDS = 20.0, 300.0  # by the clock
MOST_CALLS = 4  # from which on it fails
HANG_SECONDS = (1.5, 5.0)  # at least and at most; in between, so many times as long as usual
USUAL_TIMES = 10
SEEDS = (bytes(32), bytes([0xA5] * 32))
DECLARED = re.compile(rb"\b(?:int|size_t|ssize_t|bool)\s+randombytes\s*\(")
SILENT = re.compile(rb"\bvoid\s+randombytes\s*\(")
REPORTING = ("nist", "pqclean")  # layouts


def run_generator(trial: OperationTrial) -> str:
    """Make keys and ciphertexts while the generator fails."""
    trial.require_randomness()
    remarks: list[str] = []
    told = told_of_failures(trial)
    budget = trial.budget(DEEP_CLOCK_SECONDS if trial.deep else CLOCK_SECONDS)
    for fault, routine in budget.by_clock(product(GeneratorFault, _drawing(trial))):
        with suppress(AgentLost), trial.fresh_session() as session:
            remarks += _try(session, routine, fault, told)
    if told is None:
        whose = "its own" if trial.details.layout in REPORTING else "SUPERCOP's"
        remarks.append(f"it does not see that randombytes failed: {whose} returns nothing")
    return "; ".join(filter(None, (*dict.fromkeys(remarks), budget.remark("uses"))))


def told_of_failures(trial: OperationTrial) -> type[CheckFailed] | None:
    """Return what ignoring the result of `randombytes` is; None if it has none.

    What the package's own macros leave out is not declared; code that declares both all the
    same means SUPERCOP's under its macro.
    """
    places = {posixpath.normpath(name): path for name, path in trial.package.places.items()}

    def read(name: str) -> str | None:
        tried = (posixpath.normpath(f"{one}/{name}") for one in (".", *trial.details.folders))
        path = next((places[one] for one in tried if one in places), None)
        return read_text(path) if path is not None and path.is_file() else None

    texts = [active_text(name, read).encode("latin-1") for name in trial.package.sources]
    if any(DECLARED.search(text) and not SILENT.search(text) for text in texts):
        return CheckFailed
    silent = any(map(SILENT.search, texts))
    return CheckFinding if trial.details.layout in REPORTING and not silent else None


def _drawing(trial: OperationTrial) -> list[Routine]:
    with trial.session() as session:
        return [one for one in trial.calls(session, LENGTH).values() if trial.must_draw(one)]


def _try(
    session: OperationSession,
    routine: Routine,
    fault: GeneratorFault,
    told: type[CheckFailed] | None,
) -> Iterator[str]:
    """Fail from each call on; yield a remark if nothing comes out. The agent may be lost then."""
    began, call = time.monotonic(), Repeated(session, routine)
    draws = call.answer(CallInputs()).draws
    least, most = HANG_SECONDS
    seconds = min(max(least, USUAL_TIMES * (time.monotonic() - began)), most)
    for first in range(min(draws, MOST_CALLS)):
        failing = [CallInputs(seed=seed, fault=fault, fails_from=first) for seed in SEEDS]
        try:
            answers = [call.answer(one, seconds) for one in failing]
        except AgentSilent:
            yield f"{routine.name} does not end if randombytes {SAYS[fault]}"
            return
        except (AgentFault, AgentLost):
            yield f"{routine.name} crashes or ends the program if randombytes {SAYS[fault]}"
            return
        if fault is not GeneratorFault.REPEATS and told is not None:
            _judge_failing(routine, first, answers, told)


SAYS = {
    GeneratorFault.STAYS_AWAY: "returns -1 and writes nothing",
    GeneratorFault.ZEROS: "returns -1 and writes zeros",
    GeneratorFault.REPEATS: "gives the same bytes in every call",
}


def _judge_failing(
    routine: Routine, first: int, answers: list[CallAnswer], told: type[CheckFailed]
) -> None:
    one, other = answers
    if one.result or other.result:
        return
    if one.outputs == other.outputs:
        raise told(f"{routine.name} returns 0 and gives equal outputs if randombytes fails")
    raise told(f"{routine.name} returns 0 if call {first + 1} of randombytes fails")


GENERATOR = Check(
    "calls/generator",
    "Is a generator that fails reported, or does it cost nothing but availability?",
    (
        "Random bytes can be missing early after a start or in a sandbox. Keys that are made "
        "without them are everybody's keys. SUPERCOP's randombytes returns nothing, so only code "
        "whose randombytes returns a number can report it."
    ),
    "Look at what randombytes returns, erase what was made, and return another result than 0.",
    run_generator,
)
