# SPDX-License-Identifier: MIT
"""`assay new`, `init` and `wrap`: a package to fill in, a tree described, a function wrapped.

What is described or wrapped stays where it is.
"""

import os
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from assay.cli.main import EXIT_FAILED
from assay.errors import AssayError, UsageError
from assay.model import BrokenPackage
from assay.model.apis import APIS, PACKAGED
from assay.package.described.load import load_described
from assay.package.described.propose import EDIT, write_proposal
from assay.package.skeleton import write_skeleton
from assay.package.supercop.files import SOURCES
from assay.package.supercop.outside import UNKNOWN, listed_in_folder
from assay.package.wrapped.apart import in_place
from assay.package.wrapped.context import with_context
from assay.package.wrapped.signature import included_files, read_signature
from assay.package.wrapped.source import Wrapping, success_of
from assay.package.wrapped.write import assign, constants_of, operation_of, sized, write

CPP = (".cc", ".cpp")
FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


@click.command(name="new")
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--api",
    required=True,
    type=click.Choice(APIS),
    metavar="API",
    help=f"The API to follow: {', '.join(PACKAGED)}, or an operation such as crypto_hash.",
)
def command(name: Path, api: str) -> None:
    """Make the folder NAME with a package whose functions are to be filled in.

    It compiles as it is, and fails its checks, because its functions do nothing. The
    places to change are marked [edit]. A package of an operation is made in
    crypto_hash/NAME/ref, where `check` and `run` find it with `--tree .`.
    """
    folder = write_skeleton(name, api)
    for path in sorted(folder.iterdir()):
        click.echo(path)
    click.echo(f"Fill in the parts marked [edit]. Next: {_next(folder, api)}")


def _next(folder: Path, api: str) -> str:
    """Return the command that checks the package."""
    if api not in folder.parts:
        return f"assay check {folder}"
    at = folder.parts.index(api)
    place, tree = "/".join(folder.parts[at:]), Path(*folder.parts[:at])
    return f"assay check {place} --tree {tree}"


@click.command(name="init")
@click.argument("tree", type=click.Path(path_type=Path))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write. Default: one here, named like the tree; TREE/assay.toml is one, too.",
)
def init_command(tree: Path, into: Path | None) -> int:
    """Write a description of TREE, an assay.toml, by looking at it.

    Headers, sources, CMakeLists.txt, meson.build, Makefile and compile_commands.json are
    read and never run, and nothing in TREE is changed. A tree that Assay knows gets the
    description that comes with it. What has to be filled in is marked [edit]. An existing
    file is never overwritten. Exit code 1: the packages described cannot be loaded yet.
    """
    path, known = write_proposal(tree, into or Path(f"{tree.resolve().name}.toml"))
    click.echo(f"{path}: {'the description that comes with Assay' if known else 'a proposal'}")
    try:
        found = load_described(path)
    except AssayError as error:
        click.echo(f"  it is not complete: {error}\n  {error.cure}")
        return EXIT_FAILED
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    click.echo(f"  {len(found)} packages: {', '.join(one.place for one in found[:4])}")
    for one in broken[:3]:
        click.echo(f"  {one.place}: {one.reason}\n    {one.cure}")
    if EDIT in path.read_text("utf-8"):
        click.echo("Look at the lines marked [edit].")
    click.echo(f"Next: assay check {path}")
    plain = [one for one in listed_in_folder(tree) if one.operation != UNKNOWN]
    if plain and not known:
        click.echo(
            f"Without a description Assay finds {len(plain)} in the tree: `assay check {tree}` "
            "may be all that is needed."
        )
    return EXIT_FAILED if broken else 0


@click.command(name="wrap")
@click.argument("given", nargs=-1, required=True, metavar="PROTOTYPE|HEADER:NAME... [FILE]...")
@click.option("--as", "meant", required=True, metavar="OPERATION/PRIMITIVE",
              help="What the function computes, such as crypto_hash/sha256.")  # fmt: skip
@click.option("--roles", multiple=True, metavar="A,B,...",
              help="What each parameter is: the operation's names, constants, or C; once for each "
              "function, where it cannot be guessed.")  # fmt: skip
@click.option("--library", "libraries", multiple=True, metavar="FILE",
              type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A static or shared library that has the function; repeatable.")  # fmt: skip
@click.option("--include", multiple=True, type=FOLDER, metavar="DIR",
              help="A folder of headers that the files include; repeatable.")  # fmt: skip
@click.option("--define", "defines", multiple=True, metavar="NAME[=VALUE]",
              help="A macro that the files want, as the library's own build gives it; "
              "repeatable.")  # fmt: skip
@click.option("--context", metavar="TYPE", default="",
              help="The type of a context that functions around it take as `void *`.")  # fmt: skip
@click.option("--header", metavar="FILE",
              help="The header to include for a prototype that is written out.")  # fmt: skip
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE",
              help="A size of a primitive that Assay does not know (BYTES=32).")  # fmt: skip
@click.option("--success", metavar="VALUE",
              help="What the function returns on success, or `any` [0; OpenSSL 1].")  # fmt: skip
@click.option("--name", default="", metavar="NAME",
              help="The implementation's name [the function's].")  # fmt: skip
@click.option("--replace", "anew", is_flag=True,
              help="Write what an earlier call wrote for the function again.")  # fmt: skip
@click.option("--into", type=FOLDER, metavar="DIR",
              help="The folder for assay.toml, above all files [theirs, or here].")  # fmt: skip
def wrap_command(given: tuple[str, ...], **options: Any) -> int:
    """Make a package of a plain C function, which stays where it is.

    The function is given by its prototype in quotes, or by a header and its name
    (openssl/sha.h:SHA256); FILEs are its sources. Written are assay.toml and a C file with its
    header beside them: the call, with the arguments in the function's order. Operations with
    several functions take one prototype for each; those that follow from another (the
    verification of a MAC, say) are added. Functions around a context (init, update, final) are
    one together, in the order of their calls. Libraries of the system (OpenSSL, libsodium,
    libgcrypt, Nettle, mbedTLS, wolfSSL, BearSSL, LibTomCrypt) are found by their headers;
    --library names others. Exit code 0: `assay check DIR` can begin; 1: the package cannot be
    loaded.
    """
    wrapping = _wrapping(given, options)
    for path in write(wrapping, anew=options["anew"]):
        click.echo(os.path.relpath(path))
    for each in (step for one in wrapping.called for step in one.steps):
        pairs = zip(each.signature.arguments, each.roles, strict=True)
        roles = ", ".join(f"{one.name or one.type} is {role}" for one, role in pairs)
        roles = roles or "no parameters"
        success = success_of(wrapping, each.signature)
        told = f"; it returns {success} if all went well" if success else ""
        click.echo(f"  {each.signature.name}: {roles}{told}")
    if any(in_place(one.function, one.roles) for one in wrapping.called):
        click.echo("  The message is copied to c first, as the function adds to it where it lies.")
    return _loaded(wrapping)


def _loaded(wrapping: Wrapping) -> int:
    found = load_described(wrapping.root / "assay.toml")
    mine = next(one for one in found if one.place.endswith(f"/{wrapping.label}"))
    if isinstance(mine, BrokenPackage):
        click.echo(f"  {mine.place} cannot be loaded: {mine.reason}\n  {mine.cure}")
        return EXIT_FAILED
    click.echo(
        f"Next: assay check {os.path.relpath(wrapping.root)}:{mine.place.partition('/')[2]}"
    )
    return 0


def _wrapping(given: tuple[str, ...], options: dict[str, Any]) -> Wrapping:
    operation, primitive = operation_of(options["meant"])
    files = [Path(one) for one in given if one.endswith(SOURCES) and "(" not in one]
    texts = [one for one in given if "(" in one or Path(one) not in files]
    _require_one_language(files)
    include = options["include"]
    signatures = tuple(read_signature(one, include, options["header"] or "") for one in texts)
    if not signatures:
        raise UsageError("no function is named", "Give its prototype in quotes, or HEADER.h:NAME.")
    if options["context"]:
        signatures = with_context(signatures, options["context"])
    headers = _local([one.header for one in signatures], include)
    include = tuple(dict.fromkeys([*include, *(one.parent for one in headers.values())]))
    root = _root(files, include, options["into"])
    missing, seen = included_files(files, include, root)
    if not options["into"]:
        root = _above(root, files, seen)
    for folder, name in missing.items():
        click.echo(f"  {name} is taken from {os.path.relpath(folder)}")
        include = (*include, folder)
    signatures = tuple(
        replace(one, header=_below(root, headers[one.header])) if one.header in headers else one
        for one in signatures
    )
    nested = any(one.resolve().parent != root for one in files)
    pairs = dict(_constant(one) for one in options["constants"])
    constants = constants_of(operation, primitive, pairs)
    operation = sized(operation, constants)
    return Wrapping(
        operation,
        primitive,
        assign(signatures, operation, options["roles"]),
        root,
        sources=tuple(_below(root, one) for one in files),
        include=tuple(
            _below(root, one)
            for one in include
            if one in options["include"] or one.resolve() != root or nested
        ),
        libraries=tuple(os.path.relpath(one, root) for one in options["libraries"]),
        defines=options["defines"],
        constants=constants,
        success=options["success"],
        name=options["name"],
    )


def _local(named: list[str], include: tuple[Path, ...]) -> dict[str, Path]:
    """Return the headers that are named by their place here, and not by one in `include`."""
    return {
        one: Path(one)
        for one in named
        if Path(one).is_file() and not any((folder / one).is_file() for folder in include)
    }


def _require_one_language(files: list[Path]) -> None:
    """Raise UsageError for C beside C++: SUPERCOP compiles a package by one compiler."""
    cpp = [one for one in files if one.suffix in CPP]
    plain = [one for one in files if one.suffix == ".c"]
    if cpp and plain:
        raise UsageError(
            f"{cpp[0]} is C++ and {plain[0]} is C, and a package is compiled as one of them",
            "Build a static library of either, and name it with --library.",
        )


def _constant(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not value.strip():
        raise UsageError(f"--constant {text!a} has no value", "Write --constant BYTES=32.")
    return name.strip().removeprefix("CRYPTO_"), value.strip()


def _root(files: list[Path], include: tuple[Path, ...], into: Path | None) -> Path:
    """Return the folder above all files; UsageError for a file that is not there."""
    for one in files:
        if not one.is_file():
            raise UsageError(f"there is no file {one}", "Name the sources of the function.")
    if into is not None:
        return into.resolve()
    folders = [*(one.resolve().parent for one in files), *(one.resolve() for one in include)]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def _above(root: Path, files: list[Path], seen: set[Path]) -> Path:
    """Return the folder that is also above headers such as "../../macros.h".

    Links are not followed: a header may be one to a file of the system.
    """
    for one in files[:1]:
        steps = (os.path.relpath(header.parent, one.parent) for header in seen)
        folders = (os.path.normpath(one.parent.resolve() / step) for step in steps)
        return Path(os.path.commonpath([root, *folders]))
    return root


def _below(root: Path, path: Path) -> str:
    inner = path.resolve()
    if not inner.is_relative_to(root):
        raise UsageError(f"{path} is not below {root}", "Name a folder above it with --into.")
    return inner.relative_to(root).as_posix()
