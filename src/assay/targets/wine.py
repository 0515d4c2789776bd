# SPDX-License-Identifier: MIT
"""Programs of Windows under wine: what it needs here, and the words that start one.

Each start has a prefix of its own, made in a moment, gone with the jail: a few links, no service,
no display. That is the state in which wine itself makes a prefix (WINEBOOTSTRAPMODE),
and it takes its libraries from where they are installed. A prefix as wine would make it has
700 MB, and starts services that outlive the program.

Programs of 32 bits run without a 32-bit system below them (wine's WoW64). Of Debian's
wine32 they need the libraries alone that are Windows's own.
"""

import functools
import os
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = ("/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine")
LIBRARIES = {
    64: tuple(
        Path(folder, "wine/x86_64-windows")
        for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
    ),
    32: tuple(
        Path(folder, "wine/i386-windows")
        for folder in ("/usr/lib/i386-linux-gnu", "/usr/local/lib", "/usr/lib64", "/usr/lib")
    ),
}
NTDLL = "ntdll.dll"
TRIED = "hostname.exe"
TRIAL_SECONDS = 60
CURE = "apt-get install --reinstall wine wine64"
NARROW_CURE = "(of libwine:i386: `./scripts/setup --windows` in a clone brings it)"

# $1 is wine, $2 where its libraries of 64 bits are, $3 those of 32; then the program.
SCRIPT = """\
prefix=${TMPDIR:-/tmp}/assay-wine-$$-prefix
windows=$prefix/drive_c/windows
umask 077
mkdir "$prefix" || exit 120
mkdir -p "$prefix/dosdevices" "$windows" || exit 120
ln -s ../drive_c "$prefix/dosdevices/c:"
ln -s / "$prefix/dosdevices/z:"
echo disable >"$prefix/.update-timestamp"
echo '<fontconfig/>' >"$prefix/fonts.conf"
ln -s "$2" "$windows/system32"
if [ -n "$3" ]; then
    ln -s "$3" "$windows/syswow64"
    export WINEDLLPATH="${3%/*}"
fi
export HOME="$prefix" WINEPREFIX="$prefix" WINEARCH=win64 WINEDEBUG=-all WINEBOOTSTRAPMODE=1
export FONTCONFIG_FILE="$prefix/fonts.conf" DISPLAY=
wine=$1
shift 3
exec "$wine" "$@"
"""


def words(program: Path, bits: int) -> list[str]:
    """Return the words that start a program of Windows; arguments may follow."""
    wine, wide, narrow = _wine(), _libraries(64), _libraries(32) if bits == 32 else None
    places = (str(one) if one else "" for one in (wine, wide, narrow))
    return ["/bin/sh", "-c", SCRIPT, "wine", *places, str(program)]


def missing(bits: int) -> list[str]:
    """Name the files that programs of this word size need and that are not here."""
    wanted = {"wine64": _wine(), f"wine/x86_64-windows/{NTDLL}": _libraries(64)}
    if bits == 32:
        wanted[f"wine/i386-windows/{NTDLL} {NARROW_CURE}"] = _libraries(32)
    return [name for name, found in wanted.items() if found is None]


@functools.cache
def trouble() -> str:
    """Start one of wine's own programs; return what went wrong, or an empty string."""
    folder = _libraries(64)
    tried = words((folder or Path()) / TRIED, 64)
    with tempfile.TemporaryDirectory() as scratch:
        environment = {"PATH": os.defpath, "TMPDIR": scratch}
        try:
            done = subprocess.run(
                tried, env=environment, capture_output=True, text=True, errors="replace",
                timeout=TRIAL_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"wine does not start: {error}"
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()
    return f"wine does not start: {said[-1] if said else f'exit {done.returncode}'} ({CURE})"


def _wine() -> Path | None:
    return next((path for path in map(Path, PROGRAMS) if os.access(path, os.X_OK)), None)


def _libraries(bits: int) -> Path | None:
    return next((path for path in LIBRARIES[bits] if (path / NTDLL).is_file()), None)
