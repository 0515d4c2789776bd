# SPDX-License-Identifier: MIT
"""Whether the code keeps to the calling convention at every instruction (A.2.3, A.3).

Accesses to memory are aligned (A.3.5).
"""

from assay.check.annex_a.making import MIXED, THUMB, paper_of
from assay.check.annex_a.walk import LAST, LAST_BITS, Seen, Walked, walk
from assay.check.check import CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.hash.trial import HashTrial, exercise, paper_rule
from assay.execute.counting import difference

THUMB_BX, THUMB_BX_MASK = 0x4700, 0xFF87
ARM_BX, ARM_BX_MASK = 0x012FFF10, 0x0FFFFFF0


def aligned_accesses(trial: HashTrial) -> None:
    """Count accesses that are not aligned, with everything at odd addresses."""
    bench = trial.bench
    if bench is None or bench.counted is None:
        raise CheckSkipped("memory accesses can be counted on emulated targets only")
    if not bench.target.aligned:
        raise CheckInapplicable("this machine allows accesses at any address (A.3.5)")
    with bench.counted() as (agent, counting):
        before = counting.read()
        exercise(agent, trial.subject, trial.sizes[-1])
        counts = difference(counting.read(), before)
    found = [(name, n.misaligned) for name, n in counts.functions.items() if n.misaligned]
    if found:
        what = ", ".join(f"{name} {count}" for name, count in found)
        raise CheckFailed(f"accesses to addresses that are not a multiple of their size: {what}")


ALIGNED_ACCESSES = (
    paper_rule(
        name="buffers/aligned-accesses",
        asks="Is every memory access aligned, whatever the alignment of the buffers?",
        why=(
            "On misaligned accesses ARMv4 rotates the value, MIPS and SPARC trap, and other "
            "processors are slow. Emulators and kernels hide it."
        ),
        cure="Read data and write digests byte by byte, and keep words only in the context.",
        run=aligned_accesses,
    ),
)


def _walked(trial: HashTrial) -> Walked:
    subject = trial.subject
    room = (subject.context_bytes, subject.context_alignment)
    return walk(paper_of(trial.bench), *room, trial.sizes[-1])


def _returned(trial: HashTrial) -> Walked:
    """Return the walk; CheckSkipped if it did not finish, which another check reports."""
    walked = _walked(trial)
    if any(call.end for call in walked.calls):
        raise CheckSkipped("a function did not return: see stepping/digest")
    return walked


def digest(trial: HashTrial) -> None:
    """Compare the digest with that of the agent."""
    walked = _walked(trial)
    for call in walked.calls:
        if call.end:
            raise CheckFailed(f"{call.function} did not return: {call.end}")
    with trial.desk(len(walked.message), trial.sizes[-1]) as desk:
        expected = desk.digest(walked.message, LAST, LAST_BITS)
    if walked.digest != expected:
        raise CheckFailed(
            "with other garbage in registers the digest is another one",
            f"message  {walked.message.hex()} and {LAST_BITS} bits\n"
            f"expected {expected.hex()}\nactual   {walked.digest.hex()}",
        )


def below_stack(trial: HashTrial) -> None:
    """Look at every access below the stack pointer."""
    walked = _walked(trial)
    for call in walked.calls:
        for at, address, size, write, pointer in call.notes("below"):
            verb = "written" if write else "read"
            raise CheckFailed(
                f"at {walked.where(at)} {size} bytes are {verb} {pointer - address} bytes below "
                "the stack pointer"
            )


def outside(trial: HashTrial) -> None:
    """Look at every write, and to whom the bytes belong."""
    walked = _walked(trial)
    for call in walked.calls:
        for at, address, size in call.notes("outside"):
            raise CheckFailed(
                f"{call.function} at {walked.where(at)} writes {size} bytes at {address:#x}, "
                "which are not its own"
            )


def saved(trial: HashTrial) -> None:
    """Compare registers before and after each call."""
    walked = _returned(trial)
    machine = walked.machine
    for call in walked.calls:
        before, after = call.facts["before"], call.facts["after"]
        lost = [name for name in machine.saved if before[name] != after[name]]
        if lost:
            raise CheckFailed(f"{call.function} does not restore {', '.join(lost)}")
        popped = 0 if machine.link else machine.bits // 8
        if after[machine.sp] - before[machine.sp] != popped:
            moved = after[machine.sp] - before[machine.sp] - popped
            raise CheckFailed(f"{call.function} leaves the stack pointer moved by {moved} bytes")


def transient(trial: HashTrial) -> None:
    """Look at the system's registers after each instruction."""
    walked = _walked(trial)
    if not walked.machine.reserved:
        raise CheckInapplicable(f"no register is reserved on {walked.architecture}")
    for call in walked.calls:
        for at, name, value in call.notes("touched"):
            raise CheckFailed(f"at {walked.where(at)} register {name} becomes {value:#x}")


def calls(trial: HashTrial) -> None:
    """Look at the stack pointer, and at flags, whenever memcpy or memset is entered."""
    walked = _walked(trial)
    machine = walked.machine
    entered = [(call, note) for call in walked.calls for note in call.notes("calls")]
    if not entered:
        raise CheckInapplicable("it calls neither memcpy nor memset")
    for call, (name, pointer, flags, _, _) in entered:
        if (pointer + machine.call_offset) % machine.call_alignment:
            raise CheckFailed(
                f"{call.function} calls {name} with the stack pointer at {pointer:#x}, not "
                f"aligned to {machine.call_alignment} bytes"
            )
        if flags & machine.lasting:
            what = "the direction flag set" if machine.arch == "X86" else "r1 not zero"
            raise CheckFailed(f"{call.function} calls {name} with {what}")


def returns(trial: HashTrial) -> None:
    """Look at the instruction that returned."""
    walked = _returned(trial)
    if walked.architecture not in (*MIXED, *THUMB):
        raise CheckInapplicable("there is no interworking here")
    for call in walked.calls:
        if not _interworks(call, walked.machine.endian):
            raise CheckFailed(
                f"{call.function} returns at {walked.where(call.facts['last'][0])} without bx"
            )


def _interworks(call: Seen, endian: str) -> bool:
    code = bytes.fromhex(call.facts["last"][1])
    value = int.from_bytes(code, "big" if endian == "big" else "little")
    if len(code) == 2:
        return value & THUMB_BX_MASK == THUMB_BX
    return value & ARM_BX_MASK == ARM_BX


def direction(trial: HashTrial) -> None:
    """Look at the direction flag when the functions have returned."""
    walked = _returned(trial)
    machine = walked.machine
    if machine.arch != "X86":
        raise CheckInapplicable("it is about x86")
    for call in walked.calls:
        if call.facts["after"][machine.flags] & machine.lasting:
            raise CheckFailed(f"{call.function} leaves the direction flag set")


CHECKS = (
    paper_rule(
        name="stepping/digest",
        asks="Is the digest independent of unused registers and unused halves of registers?",
        why=(
            "Callers leave arbitrary values in them. A compiler that happens to leave zeros "
            "hides the error."
        ),
        cure=(
            "Set every register before using it. On 64-bit machines, use only the lower half of "
            "`unsigned` arguments."
        ),
        run=digest,
    ),
    paper_rule(
        name="stepping/below-stack",
        asks="Are all stack accesses above the stack pointer (A.2.3)?",
        why=(
            "A signal handler may use the memory below it at any moment. On amd64, 128 bytes "
            "are exempt."
        ),
        cure="Lower the stack pointer before storing, and raise it after loading.",
        run=below_stack,
    ),
    paper_rule(
        name="stepping/writes",
        asks="Does every write go to the context, the digest or the stack (A.2.3)?",
        why="All other memory belongs to other code, even if its contents are restored.",
        cure="Look at the named instruction: a pointer is used outside its range.",
        run=outside,
    ),
    paper_rule(
        name="stepping/saved-registers",
        asks="Are the callee-saved registers preserved (A.3)?",
        why="They hold the caller's variables.",
        cure="Save and restore them, or use other registers.",
        run=saved,
    ),
    paper_rule(
        name="stepping/reserved-registers",
        asks="Do the system's registers keep their values throughout (A.3)?",
        why="A signal handler may need such a register at any moment to find its thread's data.",
        cure="Use another register.",
        run=transient,
    ),
    paper_rule(
        name="stepping/calls",
        asks="Is the stack aligned (and on x86 the direction flag clear, on AVR r1 zero) whenever "
        "memcpy or memset is called (A.3)?",
        why="AAPCS requires 8 bytes, other conventions 16; a library may rely on it.",
        cure="Push an even number of registers, or lower the stack pointer by another 4.",
        run=calls,
    ),
    paper_rule(
        name="stepping/returns",
        asks="Do functions for Thumb processors return by bx (A.3.3)?",
        why="The caller may be in ARM state; on ARMv4T a pop into pc does not switch.",
        cure="Pop the return address into a low register, and bx to it.",
        run=returns,
    ),
    paper_rule(
        name="stepping/direction-flag",
        asks="Is the direction flag clear when a function returns (A.3.5)?",
        why="Otherwise the caller's next string instruction runs backwards.",
        cure="Add `cld`.",
        run=direction,
    ),
)
