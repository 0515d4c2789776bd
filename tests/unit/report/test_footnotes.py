# SPDX-License-Identifier: MIT
"""What stands below the tables of a results folder."""

from assay.model import Configuration
from assay.summary.footnotes import hidden_features


def configuration(command: str, arch: str, level: str) -> Configuration:
    """Return a configuration of a compiler."""
    name = f"{command}_native_{level}"
    return Configuration(command, command, arch, f"-{level}", name, name)


def test_tables_say_what_native_lacks_here() -> None:
    """Once for each compiler, whatever its levels; options that a user chose say nothing."""
    arch = "-march=native -mno-rdseed"
    listed = (
        configuration("gcc", arch, "O2"),
        configuration("gcc", arch, "O3"),
        configuration("clang", "-march=native", "O3"),
        configuration("clang", "-march=x86-64-v3 -mno-sse4a", "O3"),
    )
    (line,) = hidden_features(listed)
    assert line == (
        "native of gcc (gcc_native_O3) is used without rdseed, which the system does not list for "
        "this processor."
    )
