# SPDX-License-Identifier: MIT
"""What the System V ABI says of calls, and on Windows Microsoft's.

The agent makes calls through a stub in assembly (abi.c, abi_microsoft.c in harness/agent). The
stub is believed only if it has just seen all that functions made for it do wrong. Where all
instructions of a package are a compiler's choice, less is asked of them.
"""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckFinding, CheckSkipped, once
from assay.check.lengths.far import affordable
from assay.check.trial import USED, AnyTrial
from assay.execute.agent import AgentError, AgentFault, AgentRefusal
from assay.execute.circumstances import (
    FINDINGS,
    FLAGS,
    REGISTERS,
    SHIFTS,
    UPPER_HALVES,
    Watched,
    watch,
)
from assay.model import Package
from assay.model.operations import OPERATIONS

Observed = dict[int, tuple[Watched, AgentFault | None]]  # by how the stack stood
NOTE, LEFT_OUT = "registers", "registers left out"
SECONDS = 3.0  # for all uses
ROOMY = 100  # bytes that a message has on a board at most
NO_STUB = "registers are looked at on x86-64 only"
NO_STUB_OF_OPERATIONS = "registers are not looked at on this architecture"
REGISTERS_ALONE = "of this architecture registers alone are looked at"

_BY_HAND = re.compile(r"\basm\b|__asm|\b_mm\d*_|__builtin_ia32|<\w*intrin\.h>|\bincbin\b")
_COMPILED = (".c", ".cc", ".cpp")
_OTHERS = (".s", ".S", ".asm", ".a", ".o", ".rs", ".jazz")
_MOST_BYTES = 4 << 20


def clean_upper_halves(trial: AnyTrial) -> str:
    """Report a function that leaves bits in the upper halves of the AVX registers."""
    watched, _ = _observed(trial)[0]
    if watched.names or not watched.sees_upper_halves:
        raise CheckSkipped("the processor has no AVX")
    try:
        return unchanged(trial, (UPPER_HALVES,))
    except CheckFailed as failed:
        if compiled_alone(trial.package):
            return "the compiler left some set: gcc adds no vzeroupper with -O1 and -Os"
        raise CheckFinding(f"{failed}: there is no vzeroupper on its way out") from None


def any_stack(trial: AnyTrial) -> str:
    """Call with the stack at every place that the ABI allows."""
    if _observed(trial)[0][0].names:
        raise CheckSkipped(REGISTERS_ALONE)
    faults = {shift: fault for shift, (_, fault) in _observed(trial).items() if fault}
    if len(faults) == len(SHIFTS):
        raise CheckSkipped(f"it faults at every stack alignment: {faults[0]}")
    for shift, fault in faults.items():
        raise CheckFailed(f"with the stack {shift} bytes off a multiple of 64: {fault}")
    return str(trial.notes[LEFT_OUT])


def unchanged(trial: AnyTrial, bits: Sequence[int]) -> str:
    """Fail where one of these registers, flags or modes comes back changed."""
    watched, fault = _observed(trial)[0]
    names = watched.names
    if names and bits is not REGISTERS:
        raise CheckSkipped(REGISTERS_ALONE)
    for number, found in enumerate(watched.findings):
        seen = (bit for bit in (range(len(names)) if names else bits) if found >> bit & 1)
        changed = dict.fromkeys((names or FINDINGS)[bit] for bit in seen)
        if changed:
            raise CheckFailed(f"{trial.name_of(number)} changes {', '.join(changed)}")
    if fault:
        raise CheckSkipped(f"it faults, which other checks report: {fault}")
    if watched.calls == 0:
        raise CheckSkipped("no call went through the stub")
    return str(trial.notes[LEFT_OUT])


def _observed(trial: AnyTrial) -> Observed:
    """Make the calls at every place of the stack, once for all checks."""
    return once(trial.notes, NOTE, partial(_at_all_places, trial))


def _at_all_places(trial: AnyTrial) -> Observed:
    """Use one agent as long as it does not fault; what was seen before a fault is given.

    CheckSkipped if there is no stub that can be believed.
    """
    found: Observed = {}
    shifts: Sequence[int] = SHIFTS
    budget, longest = trial.budget(SECONDS), affordable(trial) if trial.thorough else 0
    while left := [shift for shift in shifts if shift not in found]:
        try:
            with trial.fresh_session() as session:
                for shift in left:
                    found[shift] = _conversation(trial, session, shift, budget, longest)
                    if found[shift][0].names:
                        shifts = (shift,)
                        break
                    if found[shift][1]:
                        break
        except AgentError as error:
            raise CheckSkipped(f"its agent ends, which other checks report: {error}") from None
    trial.notes[LEFT_OUT] = budget.remark("uses")
    return found


def _conversation(
    trial: AnyTrial, session: Any, shift: int, budget: Budget, longest: int
) -> tuple[Watched, AgentFault | None]:
    """Use everything with the stack at a place, at one length at least, and once at a long one."""
    try:
        before = watch(session.agent, on=True, shift_bytes=shift)
    except AgentRefusal:
        combined = trial.package.kind.rules.combined
        raise CheckSkipped(NO_STUB_OF_OPERATIONS if combined else NO_STUB) from None
    if before.proven != before.tried:
        raise CheckSkipped(
            f"the stub is not to be believed: it sees {before.proven.bit_count()} of "
            f"{before.tried.bit_count()} planted changes"
        )
    try:
        lengths = tuple(one for one in USED if one < ROOMY or not trial.on_board)
        trial.use_all(session, lengths, budget)
        for routine in () if shift or trial.on_board else trial.refused(session, lengths[-1:]):
            Arena.alone(session).outcome(routine)
        if longest and not shift and not budget.over:
            trial.use_all(session, (longest,), budget)
    except AgentFault as fault:
        return watch(session.agent, on=False), fault
    return watch(session.agent, on=False), None


CHECKS: tuple[Check[AnyTrial], ...] = (
    Check(
        name="abi/registers",
        asks=(
            "Do rbx, rbp, r12 to r15 and the stack pointer keep their values across calls, and on "
            "64-bit Windows rdi, rsi, xmm6 to xmm15 and the stack above the arguments? Of "
            "operations, on AArch64, Arm, RISC-V, AVR, MIPS, PowerPC and s390x, do those that are "
            "the caller's there, floating-point ones too?"
        ),
        why=(
            "The caller keeps its variables in them. The failure appears elsewhere, and only "
            "with some compilers and options. Long messages are asked once, since code may take "
            "another path for them."
        ),
        cure=(
            "Push the register on entry, and pop it on every path out; keep xmm registers in "
            "memory meanwhile. Of the caller's stack, Windows gives a function the 32 bytes above "
            "the return address and its own arguments."
        ),
        run=partial(unchanged, bits=REGISTERS),
    ),
    Check(
        name="abi/flags",
        asks="Are the direction flag, the state of x87 and MMX, and the rounding modes preserved?",
        why=(
            "Otherwise the next memory copy or floating-point computation of the program gives "
            "wrong results."
        ),
        cure="Use cld after std and emms after MMX, and restore control words.",
        run=partial(unchanged, bits=FLAGS),
    ),
    Check(
        name="abi/upper-halves",
        asks="Are the upper halves of the AVX registers zero after a call?",
        why=(
            "Otherwise every SSE instruction of the caller is slower, on many processors by a "
            "factor, until somebody clears them. The System V ABI does not demand it, so this is "
            "a finding."
        ),
        cure=(
            "Use vzeroupper before every return of code in assembly or with intrinsics; of C, gcc "
            "adds it with -mavx from -O2 on."
        ),
        run=clean_upper_halves,
    ),
    Check(
        name="abi/stack",
        asks="Do the functions work at every stack alignment that the ABI allows?",
        why=(
            "The ABI promises a multiple of 16, so aligned accesses of 32 bytes work only by luck."
        ),
        cure="Align the frame (`and $-32, %rsp`), or use unaligned accesses.",
        run=any_stack,
    ),
)


def compiled_alone(package: Package) -> bool:
    """Return whether the package is plain C or C++, without assembly, intrinsics or libraries.

    Of a subroutine of another primitive, every implementation in the tree has to be.
    """
    details = package.details
    folders = [package.root]
    if details is not None:
        if details.shared:
            return False
        folders += [_primitive(details.tree, name) for name in details.includes]
    return all(_plain(folder) for folder in folders)


def _primitive(tree: Path, name: str) -> Path:
    """Return the folder of a primitive that a header is named after: `crypto_hash_sha512`."""
    operation = max((one for one in OPERATIONS if name.startswith(f"{one}_")), key=len, default="")
    return tree / operation / name.removeprefix(f"{operation}_") if operation else tree / name


def _plain(folder: Path) -> bool:
    """Return whether a folder has files, and none in assembly or with intrinsics."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    sources = [path for path in paths if path.suffix in (*_COMPILED, ".h", ".inc")]
    foreign = any(path.suffix in _OTHERS for path in paths)
    return bool(sources) and not foreign and not any(_BY_HAND.search(_text(p)) for p in sources)


def _text(path: Path) -> str:
    with path.open(encoding="latin-1") as file:
        return file.read(_MOST_BYTES)
