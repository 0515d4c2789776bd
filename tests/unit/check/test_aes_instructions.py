# SPDX-License-Identifier: MIT
"""Each form of AES-CTR that options choose passes what is asked of a cipher.

The forms are portable C, AES instructions, and vectors of 32 and of 64 bytes. The vectors are
NIST's (`benchmarks/aes-ctr/verified.test-vectors`).
"""

import re
import subprocess
from pathlib import Path

import pytest

from assay.check.depth import Extent
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Compiler, Configuration, Verdict
from assay.package.estream import load_estream
from assay.toolchain.survey import examine

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
PACKAGE = BENCHMARKS / "aes-ctr" / "aesni"
FORMS = {  # what a processor must have, and what then stands in the object code
    "": ((), ""),
    "-maes": (("aes",), r"\baesenc .*%xmm"),
    "-maes -mssse3": (("aes", "ssse3"), r"\baesenc .*%xmm"),
    "-maes -mvaes -mavx2": (("aes", "vaes", "avx2"), r"\bvaesenc .*%ymm"),
    "-maes -mvaes -mavx512f": (("aes", "vaes", "avx512f"), r"\bvaesenc .*%zmm"),
}


def _flags() -> frozenset[str]:
    """Return what this processor has, by Linux's names."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return frozenset(next((one for one in lines if one.startswith("flags")), "").split())


@pytest.mark.parametrize("options", FORMS)
@pytest.mark.parametrize("command", ["gcc", "clang"])
def test_every_form_of_aes_passes_all_quick_checks(command: str, options: str) -> None:
    """A form whose instructions this processor lacks is skipped, and they are named."""
    needed, instructions = FORMS[options]
    if lacking := sorted({*needed} - _flags()):
        pytest.skip(f"this processor lacks {', '.join(lacking)}")
    compiler = examine(command)
    assert isinstance(compiler, Compiler)
    configuration = Configuration(command, command, options, "-O2", "O2", "O2")
    recipe = Recipe(load_estream(PACKAGE, tree_root=BENCHMARKS), 1, configuration, compiler)
    with open_workshop(strongest_jail()) as workshop:
        build = workshop.build(recipe)
        assert build.ok, build.reason
        code = _disassembled(build.objects[0])
        outcome = workshop.examine(recipe, build, Extent(brief=True))
    verdicts = {one.check: one.verdict for one in outcome.checks}
    assert bool(re.search(r"\bv?aesenc\b", code)) == bool(instructions)
    assert re.search(instructions, code)
    assert verdicts["vectors/verified"] is Verdict.PASS
    assert [one for one in outcome.checks if one.verdict is Verdict.FAIL] == []


def _disassembled(path: Path) -> str:
    command = ["objdump", "-d", "--no-show-raw-insn", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
