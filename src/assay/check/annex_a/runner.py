# SPDX-License-Identifier: MIT
"""Runs in the jail: steps through the calls of a job and writes down what they did.

    python runner.py JOB FACTS

Both are JSON. Facts only: what they mean is decided by who asked. memcpy and memset
are done here, when the program arrives at its own empty ones; they leave garbage
where a real one may.
"""

import importlib
import json
import random
import sys
from pathlib import Path
from typing import Any

unicorn: Any = importlib.import_module("unicorn")

MOST_STEPS = 3_000_000
MOST_NOTES = 12
PAGE = 0x1000
PARTIAL = 3  # stands for 1 to 4 bytes of an aligned word
MIPS_ACCESSES = {  # by opcode: bytes, and whether they are written
    0x20: (1, False), 0x21: (2, False), 0x22: (PARTIAL, False), 0x23: (4, False),
    0x24: (1, False), 0x25: (2, False), 0x26: (PARTIAL, False), 0x30: (4, False),
    0x28: (1, True), 0x29: (2, True), 0x2A: (PARTIAL, True), 0x2B: (4, True),
    0x2E: (PARTIAL, True), 0x38: (4, True),
}  # fmt: skip


class RunningProgram:
    """One program, and the call that it is in."""

    def __init__(self, job: dict[str, Any]) -> None:
        """Load the program and its data; put hooks on every step and every access."""
        self.job, self.machine = job, job["machine"]
        machine = self.machine
        self.constants = importlib.import_module(f"unicorn.{machine['arch'].lower()}_const")
        mode = 0
        for name in machine["mode"]:
            mode |= getattr(unicorn, f"UC_MODE_{name}")
        self.uc = unicorn.Uc(getattr(unicorn, f"UC_ARCH_{machine['arch']}"), mode)
        self.sp = self.register(machine["sp"])
        self.word = machine["bits"] // 8
        self.watched = [(name, self.register(name)) for name in machine["reserved"]]
        self.free: dict[int, str] = dict(job["free"])
        self.random = random.Random(job["seed"])
        self.facts: dict[str, Any] = {}
        self.pending: list[tuple[int, int, bool]] = []
        self.kept: dict[str, int] = {}
        self.writable: list[tuple[int, int]] = []
        self.pc = self.at = self.size = 0
        self.load()
        self.decode = machine["arch"] == "MIPS"
        self.uc.hook_add(unicorn.UC_HOOK_CODE, self.on_step)
        if not self.decode:
            kinds = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
            self.uc.hook_add(kinds, self.on_access)

    def register(self, name: str) -> int:
        """Return unicorn's number of a register."""
        number: int = getattr(self.constants, self.machine["prefix"] + name)
        return number

    def load(self) -> None:
        """Map and fill every piece of memory."""
        mapped: set[int] = set()
        for start, content, size in self.job["memory"]:
            pages = range(start & ~(PAGE - 1), start + size, PAGE)
            for page in pages:
                if page not in mapped:
                    self.uc.mem_map(page, PAGE)
                    mapped.add(page)
            self.uc.mem_write(start, bytes.fromhex(content))

    def note(self, what: str, *values: object) -> None:
        """Write something down, but not for ever."""
        notes = self.facts[what]
        if len(notes) < MOST_NOTES and (not notes or notes[-1] != list(values)):
            notes.append(list(values))

    def on_step(self, uc: Any, address: int, size: int, _: object) -> None:
        """Look at the stack pointer and the watched registers before each instruction."""
        sp = uc.reg_read(self.sp)
        self.settle(sp)
        for name, number in self.watched:
            value = uc.reg_read(number)
            if value != self.kept[name]:
                self.note("touched", self.pc, name, value)
                self.kept[name] = value
        self.pc, self.at, self.size = address, sp, size
        self.facts["steps"] += 1
        if self.decode:
            self.look_ahead(address)
        if address in self.free:
            self.do_free(self.free[address], sp)
        if self.facts["steps"] > MOST_STEPS:
            self.facts["end"] = "too long"
            uc.emu_stop()

    def on_access(self, _: Any, kind: int, address: int, size: int, *__: object) -> None:
        """Remember an access until the stack pointer after its instruction is known."""
        write = kind in {unicorn.UC_MEM_WRITE, unicorn.UC_MEM_WRITE_UNMAPPED}
        self.pending.append((address, size, write))

    def look_ahead(self, address: int) -> None:
        """Find out what a MIPS instruction will access.

        Hooks on memory lose the branch when they come in its delay slot (unicorn 2.1.4).
        """
        code = int.from_bytes(self.uc.mem_read(address, 4), self.machine["endian"])
        size, write = MIPS_ACCESSES.get(code >> 26, (0, False))
        if not size:
            return
        offset = (code & 0x7FFF) - (code & 0x8000)
        base = self.uc.reg_read(self.register(str(code >> 21 & 31)))
        at = (base + offset) & 0xFFFFFFFF
        if size == PARTIAL:  # lwl and swl reach up to the address, lwr and swr from it on
            left = (code >> 26) & 4 == 0
            up = left != (self.machine["endian"] == "big")
            first, end = (at & ~3, at + 1) if up else (at, (at | 3) + 1)
            self.pending.append((first, end - first, write))
        else:
            self.pending.append((at, size, write))

    def settle(self, sp: int) -> None:
        """Judge the accesses of the last instruction."""
        if not self.pending:
            return
        low, high = self.job["stack"]
        floor = min(sp, self.at) - self.machine["red_zone"]
        for address, size, write in self.pending:
            if low <= address < min(floor, high):
                self.note("below", self.pc, address, size, write, min(sp, self.at))
            owned = (start <= address and address + size <= end for start, end in self.writable)
            if write and not any(owned):
                self.note("outside", self.pc, address, size)
        self.pending = []

    def do_free(self, name: str, sp: int) -> None:
        """Do what memcpy or memset does, and note how it was called."""
        to, second, count = (self.argument(index, sp) for index in range(3))
        flags = self.machine["flags"]
        now = self.uc.reg_read(self.register(flags)) if flags else 0
        self.note("calls", name, sp, now, to, count)
        if count > 1 << 20:
            self.facts["end"] = f"{name} of {count} bytes"
            self.uc.emu_stop()
            return
        if count:
            done = bytes([second & 0xFF]) * count
            if name == "memcpy":
                done = bytes(self.uc.mem_read(second, count))
            self.uc.mem_write(to, done)
            self.pending.append((to, count, True))
        for scratch in self.machine["scratch"]:
            self.uc.reg_write(self.register(scratch), self.random.getrandbits(32))

    def argument(self, index: int, sp: int) -> int:
        """Read an argument of the function that was just entered."""
        names = self.machine["arguments"]
        if names:
            value: int = self.uc.reg_read(self.register(names[index]))
            return value
        at = sp + self.word * (1 + index)
        return int.from_bytes(self.uc.mem_read(at, self.word), self.machine["endian"])

    def prepare(self, call: dict[str, Any]) -> int:
        """Fill registers with garbage and put the arguments in place; give the stack pointer."""
        machine, top = self.machine, self.job["top"]
        for name in machine["general"]:
            self.uc.reg_write(self.register(name), self.random.getrandbits(machine["bits"] - 1))
        words = list(call["arguments"])
        if machine["arguments"]:
            for name, value in zip(machine["arguments"], words, strict=False):
                self.uc.reg_write(self.register(name), value)
            words = []
        back = self.job["back"]
        if machine["link"]:
            self.uc.reg_write(self.register(machine["link"]), back | call["thumb_back"])
        else:
            words = [back, *words]
        top -= 0 if machine["link"] else self.word
        packed = b"".join(word.to_bytes(self.word, machine["endian"]) for word in words)
        self.uc.mem_write(top, packed)
        self.uc.reg_write(self.sp, top)
        if machine["entry"]:
            self.uc.reg_write(self.register(machine["entry"]), call["entry"])
        return int(top)

    def registers(self) -> dict[str, int]:
        """Read all general registers, the stack pointer and the flags."""
        flags = [self.machine["flags"]] if self.machine["flags"] else []
        names = [*self.machine["general"], *self.job["also"], self.machine["sp"], *flags]
        return {name: self.uc.reg_read(self.register(name)) for name in names}

    def step_through(self, call: dict[str, Any]) -> dict[str, Any]:
        """Make one call; give what was seen."""
        top = self.prepare(call)
        kinds = ("below", "outside", "touched", "calls")
        self.facts = {"end": "", "steps": 0, **{kind: [] for kind in kinds}}
        stack = (self.job["stack"][0], self.job["top"] + self.machine["home"])
        self.writable = [*call["writable"], stack]
        self.pc, self.at, self.size, self.pending = call["entry"], top, 0, []
        before = self.registers()
        self.kept = {name: before[name] for name, _ in self.watched}
        try:
            self.uc.emu_start(call["entry"] | call["thumb"], self.job["back"])
        except unicorn.UcError as error:
            self.facts["end"] = f"{error} at {self.pc:#x}"
        after = self.registers()
        self.settle(after[self.machine["sp"]])
        for name, _ in self.watched:
            if after[name] != self.kept[name]:
                self.note("touched", self.pc, name, after[name])
        last = bytes(self.uc.mem_read(self.pc, self.size or 4)).hex() if self.size else ""
        return {**self.facts, "before": before, "after": after, "last": [self.pc, last]}


def main() -> None:
    """Read the job, do it, write the facts."""
    job = json.loads(Path(sys.argv[1]).read_text())
    walk = RunningProgram(job)
    calls = [walk.step_through(call) for call in job["calls"]]
    digests = [bytes(walk.uc.mem_read(at, size)).hex() for at, size in job["digests"]]
    Path(sys.argv[2]).write_text(json.dumps({"calls": calls, "digests": digests}))


if __name__ == "__main__":
    main()
