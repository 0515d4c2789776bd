# SPDX-License-Identifier: MIT
"""What checks need besides an agent: other builds of the package, under instruments.

Their recipes are altered: other options for the processor, sanitizers, source lines.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from platform import machine
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.check.bench import Bench, NothingVisibleError, ShowPlace
from assay.check.depth import IN_FULL, Extent
from assay.check.engine.build import Foundry
from assay.check.kinds import kind_of
from assay.check.trial import AnyTrial
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.linking import agents_own
from assay.compile.parts import DROP, SHADOWED, TRACED, WRAP
from assay.compile.recipe import Recipe
from assay.compile.visible import Visible, binutils_prefix, marks, options
from assay.errors import MachineError
from assay.execute.agent import Agent, AgentError
from assay.execute.opening import open_agent
from assay.execute.pipe import Guise
from assay.execute.stage import Stage
from assay.execute.staging import staged_folder
from assay.machine.processors import measuring_cpu
from assay.model import Build, Runtime, Subject
from assay.plan.recipes import at_every_level
from assay.targets.architectures import instructions, of_machine
from assay.targets.catalogue import catalogue

NATIVE = ("-march=native", "-mtune=native", "-mcpu=native")
# What valgrind 3.19 does not know, of the levels that stand in for `native`.
NEWER = ("-march=x86-64-v4", "-mavx512", "-mamx", "-msha", "-mvaes", "-mvpclmulqdq", "-mgfni")
# Where variables are is not asked, and takes most of the time; valgrind 3.19 ends at version 5.
LINES = "-g -gdwarf-4 -fno-var-tracking"
ADDRESS = "-g -fno-var-tracking -fno-omit-frame-pointer -fsanitize=address,undefined"
# Undefined behaviour that compilers here define: words at odd addresses, which the API of eSTREAM
# allows and `buffers/alignment` looks at, and bits that a left shift of a signed number moves into
# or over its sign.
ALLOWED = "-fno-sanitize=alignment,shift-base,function,vptr"
ALLOWED_GCC = "-fno-sanitize=alignment,shift-base,vptr"
THREAD = "-g -fno-var-tracking -fsanitize=thread"
REPORTED = ("__msan_warning", "__msan_warning_with_origin", "memcmp", "bcmp")
COVERED = "-fsanitize-coverage=trace-pc-guard"  # what code is met shows in the report
WARNED = tuple(f"{WRAP}{one}" for one in REPORTED)  # by harness/agent/warned.c
NO_ADDRESSES = "-mllvm -msan-check-access-address=0"
FOLLOWS = "MemorySanitizer is a part of clang, on x86-64"
NO_ASSEMBLY = "MemorySanitizer does not follow {}, which is assembly"
_ASSEMBLY = re.compile(rb"\b(?:asm|__asm|__asm__)\s*(?:\w+\s*)?\(")
ALLOCATORS = (  # those of harness/agent/allocation.c
    "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "valloc", "posix_memalign",
    "free",
)  # fmt: skip
ALIGNED = ("aligned_alloc", "memalign", "posix_memalign", "realloc", "free")
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
    heard = _marks(recipe, valgrind=True)
    if not visible:
        return _altered(recipe, "_valgrind", LINES, heard, arch=arch)
    return _altered(
        recipe, f"_valgrind_{visible}", LINES, heard, _shown(recipe, visible), arch=arch
    )


def _marks(recipe: Recipe, *, valgrind: bool) -> str:
    return marks(valgrind=valgrind, inside_package=recipe.package.kind.rules.combined)


def _shown(recipe: Recipe, visible: Visible) -> str:
    inside = recipe.package.kind.rules.combined
    return options(visible, recipe.compiler.family, inside_package=inside)


def sanitized(recipe: Recipe, *, threads: bool) -> Recipe:
    """Return the recipe with sanitizers; of threads it is another one than of memory."""
    if threads:
        return _altered(recipe, "_threads", THREAD)
    allowed = ALLOWED_GCC if recipe.compiler.family == "gcc" else ALLOWED
    return _altered(recipe, "_sanitized", ADDRESS, allowed)


def shadowed(recipe: Recipe, *, addresses: bool) -> Recipe:
    """Return the recipe with MemorySanitizer, with the options for the processor as they are."""
    arch = " ".join((recipe.configuration.arch, *SHADOWED))
    more = (LINES, _marks(recipe, valgrind=False), COVERED, *WARNED)
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
    for name, path in package.places.items():
        written = path.suffix in CODE and _ASSEMBLY.search(path.read_bytes())
        if path.suffix in ASSEMBLY or written:
            return NO_ASSEMBLY.format(name)
    return ""


def with_lines(recipe: Recipe, visible: Visible = Visible.PLAIN) -> Recipe:
    """Return the recipe with source lines for what traces show, what is made public among it."""
    heard, shown = _marks(recipe, valgrind=False), _shown(recipe, visible) if visible else ""
    arch = f"{recipe.configuration.arch} {TRACED}"
    again = [f"{WRAP}{name}" for name in ALIGNED] if recipe.target.runtime is Runtime.LIBC else []
    return _altered(recipe, f"_traced{visible}", LINES, heard, shown, *again, arch=arch)


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


if TYPE_CHECKING:  # for deep checks
    from assay.execute.sanitizers import Findings, ShadowOutput
    from assay.execute.tracing import Tracing
    from assay.execute.valgrind import ValgrindOutput


EMULATED = {"amd64": "qemu-amd64"}  # by architecture: the target whose machine is the plainest


def bench_of(
    foundry: Foundry, recipe: Recipe, build: Build, instruments: Foundry | None = None
) -> Bench:
    """Return what checks need besides an agent.

    `instruments` builds for valgrind and sanitizers, which deep checks alone use.
    """
    agent, stage, native = foundry.admit(build), foundry.stage, foundry.stage.target.is_native
    apart_from_it = Instruments(instruments or foundry, recipe)
    deep = apart_from_it if instruments and native else None
    large = recipe.package.kind.rules.large
    emulated = native and stage.target.architecture in EMULATED
    return Bench(
        recipe,
        build,
        stage.jail,
        counted=foundry.counted(build),
        roomy=partial(stage.connect, agent, roomy=True, large=large),
        unsealed=partial(stage.connect, agent, guise=Guise.OPEN),
        valgrind=deep.valgrind if deep else None,
        sanitized=deep.sanitized if deep else None,
        shadowed=deep.shadowed if deep else None,
        traced=apart_from_it.traced if stage.target.counts else None,
        lacks=partial(_lacks, build, recipe),
        other_recipes=partial(at_every_level, recipe),
        starved=Instruments(foundry, recipe).starved if native else None,
        plain=apart_from_it.plain if emulated else None,
        large=partial(stage.connect, agent, large=True) if native else None,
        guises=_guises(stage, agent) if native else (),
    )


def trial_of(
    foundry: Foundry, recipe: Recipe, build: Build, subject: Subject,
    bench: Bench | None = None, extent: Extent = IN_FULL,
) -> AnyTrial:  # fmt: skip
    """Put a build on trial, on a bench without instruments if there is no other."""
    connect = foundry.connector(build, recipe.package.kind)
    bench = bench or bench_of(foundry, recipe, build)
    return kind_of(recipe.package).trial(
        recipe.package, subject, connect, bench=bench, extent=extent
    )


def _lacks(build: Build, recipe: Recipe, visible: Visible) -> bool:
    """Return whether no instruction of the package's code is of a kind; False if it is unknown."""
    from assay.execute.disassembly import Disassembly  # noqa: PLC0415 - for one command

    wanted = instructions(recipe.target.architecture, visible)
    return wanted == "" or (
        wanted is not None
        and bool(build.objects and not build.subroutines)
        and all(Disassembly(one, binutils_prefix(recipe)).lacks(wanted) for one in build.objects)
    )


def _guises(stage: Stage, agent: Path) -> tuple[tuple[str, Callable[[], Agent]], ...]:
    """Return what launches an agent as others than those of checks are launched."""
    timed = replace(stage, cpu=measuring_cpu() if stage.cpu is None else stage.cpu)
    return (
        ("one that is timed", partial(timed.connect, agent, pinned=True)),
        ("a user's program", partial(stage.connect, agent, guise=Guise.USERS)),
    )


@contextmanager
def apart(foundry: Foundry, *, reuse: bool = False) -> Iterator[Foundry]:
    """Yield a foundry for other builds; it is gone in the end, with their agents.

    Every code has some with instruments of its own, and nobody asks for them twice. With
    `reuse` what the user's cache has is not compiled again.
    """
    jail = foundry.stage.jail
    objects = Kept.ours(jail.mode.value) if reuse else None
    with staged_folder("assay-run-") as home, staged_folder("assay-agents-") as kept:
        yield Foundry(Builder(kept, jail, objects), replace(foundry.stage, home=home))


def _built(foundry: Foundry, recipe: Recipe, how: str) -> Build:
    """Build what an instrument needs; AgentError if that fails."""
    build = foundry.build(recipe)
    if not build.ok:
        raise AgentError(f"it does not {how}: {build.reason}")
    return build


class Instruments(Struct, frozen=True):
    """Launches a package under instruments, compiled or linked as each of them needs it."""

    foundry: Foundry
    recipe: Recipe

    def valgrind(
        self, visible: Visible, other: Recipe | None = None
    ) -> "AbstractContextManager[tuple[Agent, ValgrindOutput]]":
        """Launch it under valgrind, compiled for what valgrind knows; see `UnderValgrind`."""
        from assay.execute.disassembly import Disassembly  # noqa: PLC0415 - for deep checks
        from assay.execute.valgrind import under_valgrind  # noqa: PLC0415

        changed = known_to_valgrind(other or self.recipe, visible)
        agent = self.foundry.admit(_built(self.foundry, changed, "build for valgrind"))
        listing = Disassembly(agent).listing if visible else ""
        if listing and not visible.in_listing(listing):
            raise NothingVisibleError
        return under_valgrind(agent, *self.foundry.confined)

    @contextmanager
    def traced(self, visible: Visible) -> "Iterator[tuple[Agent, Tracing, ShowPlace]]":
        """Launch it on an emulator that writes a trace."""
        from assay.execute.disassembly import Disassembly  # noqa: PLC0415 - for one command

        recipe, foundry = self.recipe, self.foundry
        changed = with_lines(recipe, visible)
        build = _built(foundry, changed, "build with source lines")
        agent = foundry.admit(build)
        shown = Disassembly(agent, binutils_prefix(recipe))
        if visible and not visible.in_listing(shown.listing):
            raise NothingVisibleError
        with foundry.stage.traced(agent, build.objects, agents_own(changed)) as (opened, tracing):
            yield opened, tracing, lambda at: (shown.line_of(at), shown.at(at))

    def sanitized(
        self, threads: bool
    ) -> "AbstractContextManager[tuple[Callable[[], Agent], Findings]]":
        """Launch it with sanitizers, of threads or of memory."""
        from assay.execute.sanitizers import under_sanitizers  # noqa: PLC0415 - for deep checks

        changed = sanitized(self.recipe, threads=threads)
        agent = self.foundry.admit(_built(self.foundry, changed, "build with sanitizers"))
        return under_sanitizers(agent, *self.foundry.confined)

    def shadowed(self, addresses: bool) -> "AbstractContextManager[tuple[Agent, ShadowOutput]]":
        """Launch it with MemorySanitizer."""
        from assay.execute.sanitizers import under_memory_sanitizer  # noqa: PLC0415 - on demand

        if why := unfollowed(self.recipe):
            raise MachineError(why, "Ask valgrind.")
        changed = shadowed(self.recipe, addresses=addresses)
        agent = self.foundry.admit(_built(self.foundry, changed, "build with MemorySanitizer"))
        return under_memory_sanitizer(agent, *self.foundry.confined)

    @contextmanager
    def starved(self) -> Iterator[Callable[[], Agent]]:
        """Launch it with allocations that can fail."""
        with apart(self.foundry, reuse=True) as other:  # only linking differs
            changed = starvable(self.recipe)
            build = _built(other, changed, "link with other allocators")
            yield other.connector(build, self.recipe.package.kind)

    @contextmanager
    def plain(self) -> Iterator[Agent]:
        """Launch it on the plainest processor of this architecture, emulated.

        MachineError if the emulator is missing, or the package needs options for a processor.
        """
        stage = self.foundry.stage
        plainest = EMULATED[stage.target.architecture]
        (target,) = (one for one in catalogue() if one.name == plainest)
        if shutil.which(target.emulator) is None:
            raise MachineError(f"{target.emulator} is not here", "apt-get install qemu-user")
        build = self.foundry.build(without_extensions(self.recipe))
        if not build.ok:
            raise MachineError("it does not build without options for newer processors")
        agent, patience = self.foundry.admit(build), stage.fresh_patience()
        with open_agent(Agent, target, agent, stage.jail, patience=patience) as opened:
            yield opened
