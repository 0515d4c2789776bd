# SPDX-License-Identifier: MIT
"""Making divisions visible to valgrind.

Memcheck complains of branches and addresses that depend on secret bytes, not of divisions,
although these take more or less time on many processors (KyberSlash, 2023). So the package
is compiled with an assembler that puts a branch to the next instruction, on dividend and
divisor, before every division of integers. Flags are dead there: a division leaves them
undefined. The branch is on `below`, for which valgrind wants every bit; that a number is not
zero it knows from one bit.
"""

from pathlib import Path

from assay.model import Configuration

FOLDER = "divisions"
OPTION = "-B"
_WIDTHS = {"b": "%al", "w": "%ax", "l": "%eax", "q": "%rax"}


def _line(width: str, register: str) -> str:
    """Write the command of sed for divisions of one width."""
    new = rf"\tcmp{width} $3, {register}\n\tjb 77771f\n77771:\n"
    new += rf"\tcmp{width} $3, \1\n\tjb 77772f\n77772:\n&"
    return rf"-e 's/^[ \t]*i?div{width}[ \t]+([^ \t#;]+([ \t]*,[^#;]*)?).*$/{new}/'"


SCRIPT = f"""\
#!/bin/sh
for one
do
    case $one in
    *.s) sed -i -E {" ".join(_line(*one) for one in _WIDTHS.items())} "$one" ;;
    esac
done
exec /usr/bin/as "$@"
"""


def options(compiler_family: str, *, inside_package: bool) -> str:
    """Return the options that make a compiler use this assembler."""
    where = f"../{FOLDER}/" if inside_package else f"{FOLDER}/"
    own = "-no-integrated-as " if compiler_family == "clang" else ""
    return f"{own}{OPTION}{where}"


def place_assembler(home: Path, configuration: Configuration) -> None:
    """Put the assembler where the options say, if they do."""
    if any(word.endswith(f"{FOLDER}/") for word in configuration.opt.split()):
        folder = home / FOLDER
        folder.mkdir()
        script = folder / "as"
        script.write_text(SCRIPT)
        script.chmod(0o755)
