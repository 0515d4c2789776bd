# SPDX-License-Identifier: MIT
"""Whether code could have seen that randombytes failed, by how it declares the function."""

from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in

from assay.check.check import CheckFailed, CheckFinding
from assay.check.entropy.drawn import told_of_failures
from assay.check.operation.trial import OperationTrial
from assay.model import OperationDetails, Package

BOTH = (
    "#ifdef SUPERCOP\nvoid randombytes(void *, int);\n#else\nint randombytes(void *, int);\n#endif"
)

OWN_MACRO = (
    '#define _SUPERCOP_\n#if defined(_SUPERCOP_)\n#include "randombytes.h"\n#else\n'
    "int\nrandombytes(unsigned char *x, unsigned long long xlen);\n#endif"
)


def trial_of(
    folder: Path, layout: str, source: str, *others: str, tree: str = ""
) -> OperationTrial:
    """Return a trial of a package with these files, one of which is its source."""
    places = {name: folder / name for name in (source, *others)}
    package = stand_in(Package, sources=(source,), places=places)
    details = stand_in(OperationDetails, layout=layout, folders=(tree,))
    return stand_in(OperationTrial, package=package, details=details)


@pytest.mark.parametrize(
    ("text", "layout", "told"),
    [
        ("extern int randombytes(unsigned char *, int);", "supercop", CheckFailed),
        ("extern void randombytes(unsigned char *, int);", "supercop", None),
        (BOTH, "supercop", None),
        (OWN_MACRO, "supercop", None),
        (OWN_MACRO.replace("#define _SUPERCOP_", ""), "supercop", CheckFailed),
        ("static int slh_randombytes(void *x, int n) { OQS_randombytes(x, n); }", "liboqs", None),
        ("static int own_randombytes(void *x, int n);", "nist", CheckFinding),
        ("void randombytes(unsigned char *x, int n);", "nist", None),
    ],
)
def test_who_could_not_see_a_failure_is_not_blamed(
    tmp_path: Path, text: str, layout: str, told: type[Exception] | None
) -> None:
    """A function of another name is the package's own, and both declarations mean SUPERCOP's."""
    (tmp_path / "sign.c").write_text(text)
    assert told_of_failures(trial_of(tmp_path, layout, "sign.c", "gone.c")) is told


def test_a_header_of_the_package_decides_what_its_sources_declare(tmp_path: Path) -> None:
    """A guard is no condition; a macro that nobody defines decides nothing."""
    (tmp_path / "rng.h").write_text("#ifndef RNG\n#define RNG\n#define OURS\n#endif\n")
    text = '#include "rng.h"\n#ifndef OURS\nint randombytes(void *, int);\n#endif\n'
    (tmp_path / "sign.c").write_text(text)
    trial = trial_of(tmp_path, "supercop", "sign.c", "rng.h")
    assert told_of_failures(trial) is None
    (tmp_path / "rng.h").write_text("#ifdef UNKNOWN\n#undef OURS\n#endif\n")
    assert told_of_failures(trial) is CheckFailed


def test_headers_are_looked_for_where_compilers_look(tmp_path: Path) -> None:
    """Kyber's randombytes.h lies beside its sources, in a folder of the tree."""
    names = ("tree/ref/kem.c", "tree/ref/randombytes.h")
    (tmp_path / "tree/ref").mkdir(parents=True)
    (tmp_path / names[0]).write_text('#include "randombytes.h"\n')
    (tmp_path / names[1]).write_text("void randombytes(unsigned char *out, unsigned long n);\n")
    trial = trial_of(tmp_path, "nist", *names, tree="tree/ref")
    assert told_of_failures(trial) is None
