# SPDX-License-Identifier: MIT
"""Packages in Rust: built offline by cargo in the jail, as an archive with C's functions.

SUPERCOP's Rust packages have functions such as `crypto_hash(&mut [u8; 32], &[u8])`. A crate
of our own calls them from functions with C's signatures and the package's C names.

A system may have no cargo but rustup's. The `cargo` in a user's PATH is then rustup's own program,
which chooses a toolchain by files of the user. The jail sees that toolchain alone, and calls its
programs.
"""

import atexit
import functools
import os
import re
import shutil
import tomllib
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from msgspec.structs import replace

from assay.compile.bundled import SCRIPTS
from assay.compile.files import is_regular, key_of, place, stage_files
from assay.compile.installed import said
from assay.compile.supercop.names import details_of
from assay.errors import MachineError
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import alone, cache_folder
from assay.model import Package
from assay.model.operation import Op
from assay.package.text import read_text

SYSTEM = "/usr/bin:/bin"  # where programs in the jail look for others
PARTS = ("bin", "lib")
OTHERS = 0o001


@functools.cache
def rustup_toolchain() -> Path | None:
    """Return the folder of the toolchain that the jail needs; None if the system has a cargo.

    None, too, where there is no rustc in PATH, or it names no folder with cargo in it.
    """
    if shutil.which("cargo", path=SYSTEM):
        return None
    root = _sysroot()
    if root is None or not all((root / "bin" / tool).is_file() for tool in ("cargo", "rustc")):
        return None
    return root if _reachable(root) else _linked(root)


def _sysroot() -> Path | None:
    rustc = shutil.which("rustc")
    root = said([rustc, "--print", "sysroot"]) if rustc else ""
    return Path(root).resolve() if root else None


def _reachable(root: Path) -> bool:
    """Return whether jailed commands may enter it: those of root run as another user."""
    return os.geteuid() != 0 or all(each.stat().st_mode & OTHERS for each in (root, *root.parents))


def _linked(root: Path) -> Path:
    """Link its files into a folder that they can enter; it is removed when the process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(staged_folder("assay-rust-"))
    for part in PARTS:
        shutil.copytree(root / part, folder / part, symlinks=True, copy_function=_link)
    return folder


def _link(source: str, target: str) -> None:
    """Link a file; copy it from another file system."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)


MANIFEST, ARCHIVE = "Cargo.toml", "libglue.a"
INSTALL = "apt-get install cargo, or install one with rustup"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")

# Per function: what follows the operation's name, C's parameters, and the call. The lengths
# of arrays follow from the signature of what is called.
_CALLS: dict[str, tuple[tuple[str, str, str], ...]] = {
    Op.VERIFY: (("", "x: In, y: In", "subject::crypto_verify(given(x), given(y)) as c_int"),),
    Op.HASH: (
        ("", "out: Out, m: In, n: u64", "subject::crypto_hash(place(out), bytes(m, n)); 0"),
    ),
    Op.SCALARMULT: (
        (
            "",
            "q: Out, n: In, p: In",
            "subject::crypto_scalarmult(place(q), given(n), given(p)); 0",
        ),
        ("_base", "q: Out, n: In", "subject::crypto_scalarmult_base(place(q), given(n)); 0"),
    ),
    Op.STREAM: (
        (
            "",
            "c: Out, clen: u64, n: In, k: In",
            "subject::crypto_stream(room(c, clen), given(n), given(k)); 0",
        ),
        (
            "_xor",
            "c: Out, m: In, mlen: u64, n: In, k: In",
            "subject::crypto_stream_xor(room(c, mlen), bytes(m, mlen), given(n), given(k)); 0",
        ),
    ),
    Op.AEAD: (
        (
            "_encrypt",
            "c: Out, clen: *mut u64, m: In, mlen: u64, ad: In, adlen: u64, s: In, n: In, k: In",
            (
                "*clen = subject::crypto_aead_encrypt(room(c, mlen + ABYTES), bytes(m, mlen), "
                "bytes(ad, adlen), given(s), given(n), given(k)) as u64; 0"
            ),
        ),
        (
            "_decrypt",
            "m: Out, mlen: *mut u64, s: Out, c: In, clen: u64, ad: In, adlen: u64, n: In, k: In",
            (
                "let done = subject::crypto_aead_decrypt(room(m, clen), place(s), bytes(c, clen), "
                "bytes(ad, adlen), given(n), given(k)); *mlen = done.0 as u64; done.1 as c_int"
            ),
        ),
    ),
}
_FUNCTION = """
#[no_mangle]
pub unsafe extern "C" fn {name}({parameters}) -> c_int {{
    {body}
}}
"""


def rust_reason(package: Package, jail: Jail) -> str:
    """Explain why a package in Rust cannot be built offline here; empty if it can."""
    details = details_of(package)
    if details.language != "rust":
        return ""
    if details.operation not in _CALLS:
        return f"SUPERCOP's API has no {details.operation} in Rust"
    return _offline_reason(package, jail)


@functools.lru_cache(maxsize=256)
def _offline_reason(package: Package, jail: Jail) -> str:
    if not _version(jail):
        return f"it is written in Rust, and the jail finds no cargo: {INSTALL}"
    try:
        _crate(package)
    except MachineError as error:
        return str(error)
    with staged_folder("assay-build-") as home:
        _stage(package, home)
        line = ["cargo", "metadata", "--offline", "--locked", "--format-version", "1"]
        ended = _run([*line, "--manifest-path", f"package/{MANIFEST}"], home, jail)
    return "" if ended.ok else f"cargo cannot build it offline: {_first_error(ended)}"


def rust_symbols(package: Package, own: str) -> tuple[str, ...]:
    """Name the functions that the archive of a package defines, for the namespace `own`."""
    return tuple(own + suffix for suffix, _, _ in _CALLS[details_of(package).operation])


def rust_archive(package: Package, own: str, jail: Jail, flags: str = "") -> Path:
    """Build a package offline and give its archive; MachineError says why that fails.

    `own` is the namespace of its functions (`crypto_hash_sha256_ref_timingleaks`), `flags`
    are for rustc, such as `-C target-cpu=native`. What it needs beside it is libgcc_s.
    """
    reason = rust_reason(package, jail)
    if reason:
        raise MachineError(reason)
    key = key_of(
        package.code_identity, _version(jail), jail.mode.value, _glue(package, own), flags
    )
    kept = cache_folder() / "rust" / f"{key}.a"
    with alone(kept):
        if not kept.is_file():
            _build(package, own, jail, flags, kept)
    return kept


def _build(package: Package, own: str, jail: Jail, flags: str, kept: Path) -> None:
    with staged_folder("assay-build-") as home:
        _stage(package, home)
        source = home / "glue-source"
        (source / "src").mkdir(parents=True)
        (source / "src/lib.rs").write_text(_glue(package, own))
        (source / MANIFEST).write_text(_given("glue.toml", "CRATE", _crate(package)))
        lock = home / "package/Cargo.lock"
        if lock.is_file():
            shutil.copyfile(lock, source / "Cargo.lock")
        hand_over(home)
        script = f"cp -r glue-source glue && cargo build --offline --release {_WHERE}"
        ended = _run(["env", f"RUSTFLAGS={flags}", "sh", "-c", script], home, jail)
        made = home / "target/release" / ARCHIVE
        if not ended.ok or not is_regular(made):
            raise MachineError(f"cargo cannot build it offline: {_first_error(ended)}")
        place(made, kept, mode=0o644)


_WHERE = f"--manifest-path glue/{MANIFEST} --target-dir target"


def _glue(package: Package, own: str) -> str:
    """Write the crate that gives the package's functions C's signatures."""
    details = details_of(package)
    abytes = dict(details.constants).get("ABYTES", "0")
    head = _given("glue.rs", "ABYTES_OF_PACKAGE", abytes if abytes.isdigit() else "0")
    functions = (
        _FUNCTION.format(name=own + suffix, parameters=parameters, body=body)
        for suffix, parameters, body in _CALLS[details.operation]
    )
    return head + "".join(functions)


def _given(name: str, word: str, value: str) -> str:
    """Return a file of the crate, with a value in place of a word."""
    return (SCRIPTS / name).read_text("ascii").replace(word, value)


def _crate(package: Package) -> str:
    """Name the package's crate, as its manifest says."""
    try:
        manifest = tomllib.loads(read_text(package.root / MANIFEST))
        name = str(manifest["package"]["name"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MachineError(f"{MANIFEST} names no package ({error})") from None
    if not _NAME.fullmatch(name):
        raise MachineError(f"{MANIFEST} names a package that cannot be: {name[:100]!r}")
    return name


def _stage(package: Package, home: Path) -> None:
    stage_files(package, home / "package")
    hand_over(home)


def _run(line: Iterable[str], home: Path, jail: Jail) -> Ended:
    root = rustup_toolchain()
    if root is None:
        return run_jailed([*line], home, jail, LONG_COMPILE_LIMITS)
    command = ["env", f"PATH={root / 'bin'}:{SYSTEM}", *line]
    seeing = replace(jail, readable=(*jail.readable, root))
    return run_jailed(command, home, seeing, LONG_COMPILE_LIMITS)


@functools.lru_cache(maxsize=8)
def _version(jail: Jail) -> str:
    """Return what the jail's cargo and rustc say of themselves, empty without them."""
    with staged_folder("assay-build-") as home:
        ended = _run(["sh", "-c", "cargo --version && rustc --version"], home, jail)
    return ended.output if ended.ok else ""


def _first_error(ended: Ended) -> str:
    lines = [line.strip() for line in ended.output.splitlines() if line.startswith("error")]
    return lines[0].removeprefix("error: ") if lines else "it ended without a message"
