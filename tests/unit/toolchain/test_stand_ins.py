# SPDX-License-Identifier: MIT
"""Compilers that cannot be had here, by stand-ins that answer as they do."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.toolchain.probe import probe
from assay.toolchain.search import candidates
from assay.toolchain.survey import survey

PathWith = Callable[..., Path]
WriteScript = Callable[[Path, str, str], None]
GCC = shutil.which("gcc")  # while PATH is whole
# What icc 2021.10 prints and defines; it takes -x where gcc takes -march, and compiles as gcc.
ICC = f"""
for word; do
    shift
    case $word in
        --version) echo 'icc (ICC) 2021.10.0 20230609'; exit 0 ;;
        -march=*) echo "icc: command line warning #10006: ignoring '$word'" >&2; exit 1 ;;
        -xHost|-xSSE2) ;;
        -x*) echo "icc: error #10037: could not find '$word'" >&2; exit 1 ;;
        *) set -- "$@" "$word" ;;
    esac
done
exec {GCC} -D__INTEL_COMPILER=2021 "$@"
"""
# What cl 19.38 prints, on standard error, whatever follows.
CL = """
echo 'Microsoft (R) C/C++ Optimizing Compiler Version 19.38.33133 for x64' >&2
echo 'Copyright (C) Microsoft Corporation.  All rights reserved.' >&2
[ $# -eq 0 ] || { echo "cl : Command line error D8021 : invalid argument '$1'" >&2; exit 2; }
"""


def test_icc_is_recognised_and_tried_with_its_own_options(
    path_with: PathWith, write_script: WriteScript
) -> None:
    """It defines `__GNUC__` as well, and refuses -march."""
    folder = path_with()
    write_script(folder, "icc", ICC)
    (icc,) = survey(candidates()).compilers
    assert (icc.family, icc.version) == ("icc", "icc (ICC) 2021.10.0 20230609")
    supported = probe(icc, None)
    assert set(supported.archs) == {"", "-xHost", "-xSSE2"}
    assert supported.opts == ("-O0", "-O1", "-O2", "-O3", "-Os")


def test_icc_is_tried_with_the_options_of_a_shortlist_alone(
    path_with: PathWith, write_script: WriteScript
) -> None:
    """As `configure --quick` and `start` do."""
    folder = path_with()
    write_script(folder, "icc", ICC)
    (icc,) = survey(candidates()).compilers
    supported = probe(icc, None, {"icc_xHost_O3", "gcc_default_O2"})
    assert (supported.archs, supported.opts) == (("-xHost",), ("-O3",))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CL, "Microsoft C/C++ 19.38.33133 for x64 cannot compile the agent"),
        ("echo 'CL-USER> '", "it does not answer as Microsoft's compiler"),
    ],
)
def test_cl_is_recognised_and_left_out_with_a_reason(
    path_with: PathWith, write_script: WriteScript, text: str, reason: str
) -> None:
    """A Lisp may have that name as well; others are not hindered by either."""
    folder = path_with(gcc="gcc")
    write_script(folder, "cl", text)
    found = survey(candidates())
    assert [each.command for each in found.compilers] == ["gcc"]
    assert [(command, reason in why) for command, why in found.rejected] == [("cl", True)]
