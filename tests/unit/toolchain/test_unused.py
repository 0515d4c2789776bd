# SPDX-License-Identifier: MIT
"""Which code of a package a configuration leaves out."""

from pathlib import Path

import pytest

from assay.model import Compiler, Configuration
from assay.toolchain import unused as module
from assay.toolchain.archs import ArchFit
from assay.toolchain.unused import names_in, richest_of, unused

GCC = Compiler("gcc", "gcc", Path("gcc"), "", "x86_64-linux-gnu", "")
RICH = "-march=native -mno-rdseed"
DEFINED = {
    (): {("__SSE2__", "1"), ("__BIGGEST_ALIGNMENT__", "16")},
    ("-march=native", "-mno-rdseed"): {
        *(("__SSE2__", "1"), ("__BIGGEST_ALIGNMENT__", "64"), ("__AES__", "1")),
    },
    ("-m32",): {("__i386__", "1")},
    ("-march=native", "-mno-rdseed", "-m32"): {("__i386__", "1"), ("__AVX2__", "1")},
}


def configuration(arch: str) -> Configuration:
    """Return a configuration of gcc."""
    return Configuration("gcc", "gcc", arch, "-O3", f"gcc_{arch}", f"gcc_{arch}")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a machine with AES instructions."""
    monkeypatch.setattr(module, "richest", lambda _: ArchFit("", RICH))
    monkeypatch.setattr(module, "_defined", lambda _, words: frozenset(DEFINED[words]))


@pytest.mark.parametrize(
    ("text", "arch", "expected"),
    [
        ("#ifdef __AES__\n#endif\n", "", ("__AES__",)),
        ("#if defined(X) && \\\n    defined(__AES__)\n#endif\n", "", ("__AES__",)),
        ("  #  define FAST __AES__\n", "", ("__AES__",)),
        ("/* __AES__ is not asked for */ int __AES__x;\n", "", ()),
        ("#ifdef __SSE2__\n#endif\n", "", ()),
        ("#if __BIGGEST_ALIGNMENT__ > 16\n#endif\n", "", ("__BIGGEST_ALIGNMENT__",)),
        ("#ifdef __AES__\n#endif\n", RICH, ()),
        ("#ifdef __AVX2__\n#endif\n", "-m32", ("__AVX2__",)),
        ("#ifdef __AES__\n#endif\n", "-m32", ()),
    ],
)
def test_preprocessor_lines_decide(
    tmp_path: Path, text: str, arch: str, expected: tuple[str, ...]
) -> None:
    """Names in conditions and definitions count, those in code and comments do not."""
    tmp_path.joinpath("x.h").write_text(text)
    names = names_in(tmp_path, ["x.h", "gone.c"])
    assert unused(configuration(arch), GCC, names) == expected


def test_assembly_that_is_preprocessed_counts(tmp_path: Path) -> None:
    """`.S` is, `.s` is not."""
    for name in ("x.S", "y.s"):
        tmp_path.joinpath(name).write_text("#ifdef __AES__\naesenc %xmm0, %xmm1\n#endif\n")
    assert "__AES__" in names_in(tmp_path, ["x.S"])
    assert not names_in(tmp_path, ["y.s"])


def test_the_richest_configuration_leaves_out_least() -> None:
    """The first of several that leave out nothing, wherever it stands in the list."""
    plain, rich = configuration(""), configuration(RICH)
    assert richest_of([(plain, GCC), (rich, GCC)]) is rich
    assert richest_of([(plain, GCC)]) is plain
    assert richest_of([]) is None
