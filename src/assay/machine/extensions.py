# SPDX-License-Identifier: MIT
"""Which extensions of x86 some object code uses, and which of them this processor lacks.

Asked only when an illegal instruction was met: code that chooses at run time may well
contain what the processor does not have.
"""

import re
import subprocess
from pathlib import Path

FLAGS = Path("/proc/cpuinfo")
DISASSEMBLY_SECONDS = 60
EXTENSIONS = {
    "xop": r"\b(?:vprot[bwdq]|vpcmov|vpperm|vpmac\w+|vpmadcs\w+|vpsh[al][bwdq]|vfrcz\w+)\b",
    "fma4": r"\bvfn?m(?:add|sub)(?:sub|add)?[ps][sd]\b",
    "fma": r"\bvfn?m(?:add|sub)(?:sub|add)?(?:132|213|231)[ps][sd]\b",
    "sse4a": r"\b(?:extrq|insertq|movnts[sd])\b",
    "tbm": r"\b(?:blc(?:fill|ic?|msk|s)|bls(?:fill|ic)|t1mskc|tzmsk)\b",
    "avx512f": r"%zmm|%k[1-7]\b",
    "avx2": r"\bvp\w+ .*%ymm",
    "avx": r"\bv\w+ .*%[xy]mm",
    "sha_ni": r"\bsha(?:1|256)\w+",
    "aes": r"\bv?aes(?:enc|dec|imc|keygen)\w*",
    "pclmulqdq": r"\bv?pclmul\w+",
    "gfni": r"\bv?gf2p8\w+",
    "bmi2": r"\b(?:mulx|pdep|pext|rorx|s[ah][lr]x|bzhi)\b",
    "adx": r"\bad[co]x\b",
}


def lacking(objects: tuple[Path, ...]) -> tuple[str, ...]:
    """Name the extensions that the objects use and this processor lacks, by Linux's names.

    Empty where nothing is known: another architecture, no objdump, no such file.
    """
    flags = _flags()
    if not flags:
        return ()
    listing = "".join(map(_disassembled, objects))
    used = (name for name, pattern in EXTENSIONS.items() if re.search(pattern, listing))
    return tuple(name for name in used if name not in flags)


def traps(objects: tuple[Path, ...]) -> bool:
    """Return whether x86 objects have the illegal instruction that compilers use as a trap."""
    return any(re.search(r"\bud2\b", _disassembled(one)) for one in objects)


def _flags() -> frozenset[str]:
    try:
        text = FLAGS.read_text()
    except OSError:
        return frozenset()
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return frozenset(found[1].split()) if found else frozenset()


def _disassembled(path: Path) -> str:
    command = ["objdump", "-d", "--no-show-raw-insn", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DISASSEMBLY_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
