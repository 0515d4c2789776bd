# SPDX-License-Identifier: MIT
"""What agents see of a call besides its result: what it does to registers and flags."""

from dataclasses import dataclass

from assay.execute.agent import Agent
from assay.execute.protocol import Request

FUNCTIONS = 16  # whose findings an agent keeps apart
FINDINGS = (
    "rbx",
    "rbp",
    "r12",
    "r13",
    "r14",
    "r15",
    "the stack pointer",
    "the direction flag",
    "the control word of x87",
    "the registers of x87 (MMX without emms)",
    "the control bits of MXCSR",
    "the upper halves of the AVX registers",
    "rdi",
    "rsi",
    "xmm6 to xmm15",
    "the stack above its arguments",
)
UPPER_HALVES = FINDINGS.index("the upper halves of the AVX registers")
FLAGS = range(FINDINGS.index("the direction flag"), UPPER_HALVES)
REGISTERS = (*range(FLAGS.start), *range(UPPER_HALVES + 1, len(FINDINGS)))
MODES = {  # of harness/agent/modes.c, and what the caller then does
    1: "rounds towards zero with single precision, and has no denormal numbers",
    2: "rounds upwards with double precision, and has no denormal numbers",
}
SHIFTS = (0, 16, 32, 48)  # bytes off a multiple of 64 where the ABI lets a stack stand


@dataclass(frozen=True, slots=True)
class Watched:
    """How the stub has proven itself, and what calls did since it was last asked.

    All are bits in the order of FINDINGS. Functions spoil each of `tried`, the upper halves
    where the processor has AVX; of `proven` that and nothing else was seen. `findings` are those
    of each function by its number.
    """

    tried: int
    proven: int
    calls: int
    findings: tuple[int, ...]

    @property
    def sees_upper_halves(self) -> bool:
        """Return whether the processor has AVX."""
        return bool(self.tried >> UPPER_HALVES & 1)


def watch(agent: Agent, *, on: bool, shift_bytes: int = 0) -> Watched:
    """Let calls go through a stub that watches registers; give what the last ones did.

    The stack then stands `shift_bytes` (of SHIFTS) off a multiple of 64. AgentRefusal
    where there is no such stub.
    """
    reader = agent.ask(Request.WATCH, bytes([on, shift_bytes]), "watching registers")
    tried, proven, calls = (reader.number(4) for _ in range(3))
    findings = tuple(reader.number(4) for _ in range(FUNCTIONS))
    return Watched(tried, proven, calls, findings)


def set_modes(agent: Agent, mode: int) -> None:
    """Have later calls made under floating-point modes of MODES, 0 for those of the agent.

    AgentRefusal where none are known.
    """
    agent.ask(Request.MODES, bytes([mode]), "setting floating-point modes")
