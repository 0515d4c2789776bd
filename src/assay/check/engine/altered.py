# SPDX-License-Identifier: MIT
"""Recipes as instruments need them: other options for the processor, sanitizers, source lines."""

import re
from dataclasses import replace
from pathlib import Path
from platform import machine

from assay.compile.parts import DROP, SHADOWED, WRAP
from assay.compile.recipe import Recipe
from assay.compile.visible import Visible, options
from assay.targets.architectures import of_machine

NATIVE = ("-march=native", "-mtune=native", "-mcpu=native")
# What valgrind 3.19 does not know, of the levels that stand in for `native`.
NEWER = ("-march=x86-64-v4", "-mavx512", "-mamx", "-msha", "-mvaes", "-mvpclmulqdq", "-mgfni")
# Where variables are is not asked, and takes most of the time; valgrind 3.19 ends at version 5.
LINES = "-g -gdwarf-4 -fno-var-tracking"
# What lets packages say what is no secret any more: mlkem-native, mldsa-native, BoringSSL.
DECLASSIFY = (
    "-DMLK_CONFIG_CT_TESTING_ENABLED",
    "-DMLD_CONFIG_CT_TESTING_ENABLED",
    "-DBORINGSSL_CONSTANT_TIME_VALIDATION",
)
ADDRESS = "-g -fno-var-tracking -fno-omit-frame-pointer -fsanitize=address,undefined"
# Undefined behaviour that compilers here define: words at odd addresses, which the API of eSTREAM
# allows and `buffers/alignment` looks at, and bits that a left shift of a signed number moves into
# or over its sign.
ALLOWED = "-fno-sanitize=alignment,shift-base,function,vptr"
ALLOWED_GCC = "-fno-sanitize=alignment,shift-base,vptr"
THREAD = "-g -fno-var-tracking -fsanitize=thread"
REPORTED = ("__msan_warning", "__msan_warning_with_origin", "memcmp", "bcmp")
WARNED = tuple(f"{WRAP}{one}" for one in REPORTED)  # by harness/agent/warned.c
NO_ADDRESSES = "-mllvm -msan-check-access-address=0"
FOLLOWS = "MemorySanitizer is a part of clang, on x86-64"
NO_ASSEMBLY = "MemorySanitizer does not follow {}, which is assembly"
_ASSEMBLY = re.compile(rb"\b(?:asm|__asm|__asm__)\s*(?:\w+\s*)?\(")
ALLOCATORS = (  # those of harness/agent/allocation.c
    "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "valloc", "posix_memalign",
    "free",
)  # fmt: skip
ASSEMBLY, CODE = (".s", ".S", ".asm"), (".c", ".h", ".cc", ".cpp", ".inc")


def _altered(recipe: Recipe, suffix: str, *options: str, arch: str | None = None) -> Recipe:
    """Return the recipe with more options, or with others for the processor, under a new name."""
    before = recipe.configuration
    name, opt = before.name + suffix, " ".join((before.opt, *options))
    chosen = before.arch if arch is None else arch
    return replace(
        recipe, configuration=replace(before, opt=opt, arch=chosen, name=name, tag=name)
    )


def known_to_valgrind(recipe: Recipe, visible: Visible = Visible.PLAIN) -> Recipe:
    """Return the recipe with options that valgrind can follow, and source lines.

    What is made visible, too, is so for amd64 alone.
    """
    before = recipe.configuration.arch.split()
    words = [word for word in before if not word.startswith((*NATIVE, *NEWER))]
    if len(words) < len(before):
        words += of_machine(machine()).valgrind.split()
    arch = " ".join(words)
    if not visible:
        return _altered(recipe, "_valgrind", LINES, *DECLASSIFY, arch=arch)
    inside = recipe.package.kind.rules.combined
    shown = options(visible, recipe.compiler.family, inside_package=inside)
    return _altered(recipe, f"_valgrind_{visible}", LINES, *DECLASSIFY, shown, arch=arch)


def sanitized(recipe: Recipe, *, threads: bool) -> Recipe:
    """Return the recipe with sanitizers; of threads it is another one than of memory."""
    if threads:
        return _altered(recipe, "_threads", THREAD)
    allowed = ALLOWED_GCC if recipe.compiler.family == "gcc" else ALLOWED
    return _altered(recipe, "_sanitized", ADDRESS, allowed)


def shadowed(recipe: Recipe, *, addresses: bool) -> Recipe:
    """Return the recipe with MemorySanitizer, with the options for the processor as they are."""
    arch = " ".join((recipe.configuration.arch, *SHADOWED))
    more = (LINES, *DECLASSIFY, *WARNED)
    return _altered(
        recipe,
        f"_shadowed{'' if addresses else '_branches'}",
        *(more if addresses else (*more, NO_ADDRESSES)),
        arch=arch,
    )


def unfollowed(recipe: Recipe) -> str:
    """Return why MemorySanitizer cannot follow secrets through a package; empty if it can."""
    if recipe.compiler.family != "clang" or machine() != "x86_64":
        return FOLLOWS
    package = recipe.package
    shared = package.details.shared if package.details is not None else ()
    own = ((one, Path(package.root) / one) for one in package.files)
    for name, path in (*own, *shared):
        written = path.suffix in CODE and _ASSEMBLY.search(path.read_bytes())
        if path.suffix in ASSEMBLY or written:
            return NO_ASSEMBLY.format(name)
    return ""


def with_lines(recipe: Recipe) -> Recipe:
    """Return the recipe with source lines for what traces show."""
    return _altered(recipe, "_traced", LINES)


def starvable(recipe: Recipe) -> Recipe:
    """Return the recipe linked so that allocations can fail: they are the harness's functions."""
    return _altered(recipe, "_starved", *(f"{WRAP}{name}" for name in ALLOCATORS))


def dropping(recipe: Recipe) -> Recipe:
    """Return the recipe linked as firmware is: without what nothing refers to."""
    return _altered(recipe, "_dropped", "-ffunction-sections", "-fdata-sections", DROP)


def without_extensions(recipe: Recipe) -> Recipe:
    """Return the recipe without options that choose a processor."""
    words = recipe.configuration.arch.split()
    kept = (one for one in words if not one.startswith("-m") or one in {"-m64", "-m32"})
    return _altered(recipe, "_plain", arch=" ".join(kept))
