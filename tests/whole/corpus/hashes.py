# SPDX-License-Identifier: MIT
"""Broken hashes: the rows of compact.toml and sha3.toml, and a bench that tries toys."""

import itertools
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.objects import Entry
from tests.whole.corpus.sampling import BY_CHANCE

from assay.check.depth import Depth, Extent
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Compiler, Configuration, Package
from assay.package.discover import load_all
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for, native

CORPUS = Path(__file__).resolve().parent
TOYS = CORPUS / "compact"
HOMES = {
    "c": "native",
    "nist": "native",
    "amd64": "native",
    "i386": "qemu-i386",
    "arm-le": "qemu-armv4",
    "thumb-le": "qemu-thumb",
    "ppc": "qemu-ppc603e",
    "mips-le": "qemu-mipsel",
    "avr8": "simavr-atmega1281",
}
RULES = ("header/", "object/", "size/", "instructions/", "stepping/", "reentrant/")


@dataclass(frozen=True)
class Defect:
    """One entry of corpus/compact.toml."""

    name: str
    base: str
    edits: tuple[tuple[str, str], ...]
    caught: str
    noted: str
    fails: frozenset[str]
    may: frozenset[str]
    says: str
    header: bool
    everything: bool
    target: str
    deep: bool
    asks: tuple[str, ...]
    goals: bool

    @classmethod
    def from_entry(cls, entry: Entry) -> "Defect":
        """Read an entry; one that no check catches or notes is a mistake."""
        caught, noted = entry.get("caught", ""), entry.get("noted", "")
        assert bool(caught) != bool(noted), entry["name"]
        assert bool(entry.get("also")) == bool(entry.get("why")), entry["name"]
        return cls(
            entry["name"],
            entry["base"],
            tuple((old, new) for old, new in entry["edits"]),
            caught,
            noted,
            frozenset({*entry.get("also", ()), *filter(None, [caught])}),
            BY_CHANCE.union(entry.get("may", ())),
            entry.get("says", ""),
            entry.get("header", False),
            entry.get("everything", False),
            entry.get("target", ""),
            entry.get("deep", False),
            tuple(entry.get("asks", ())),
            entry.get("goals", False),
        )


def all_defects() -> list[Defect]:
    """Read the corpus."""
    texts = ((CORPUS / name).read_text() for name in ("compact.toml", "sha3.toml"))
    return [Defect.from_entry(one) for text in texts for one in tomllib.loads(text)["defect"]]


def answering(defect: Defect) -> frozenset[str]:
    """Return the checks that answer."""
    return defect.fails | {defect.noted or defect.caught}


def digest(message: bytes, bits: int, count: int, out_bits: int) -> bytes:
    """Compute the toy's digest anew, from its description."""
    mark = 0x80 >> count
    last = (bits | mark) & -mark & 0xFF
    h, to = 0x243F6A88, bytearray()
    for byte in (*message, last, *bytes(out_bits // 8)):
        h = (((h << 7 | h >> 25) & 0xFFFFFFFF ^ byte) + 0x55) & 0xFFFFFFFF
        to.append(h & 0xFF)
    return bytes(to[len(message) + 1 :])


def vectors(*, bits: bool = True) -> Iterator[str]:
    """Yield verified vectors for a few lengths, partial bytes among them if `bits` may be."""
    lengths = (0, 8, 13, 512, 1027) if bits else (0, 8, 512)
    for out_bits, length in itertools.product((256, 512), lengths):
        message = bytes(i * 7 & 0xFF for i in range(-(-length // 8)))
        last = message[length // 8] if length % 8 else 0
        md = digest(message[: length // 8], last, length % 8, out_bits).hex()
        yield f"out={out_bits} len={length} msg={message.hex() or '-'} md={md}"


class ToyBench:
    """Writes toys, builds them and puts them on trial."""

    def __init__(self, folder: Path) -> None:
        """Keep packages in `folder`."""
        self._folder = folder
        self._jail = strongest_jail()

    def package(self, base: str, name: str, edits: Iterable[tuple[str, str]] = (), *,
                header: bool = False, source: bool = False, goals: bool = False,
                bits: bool = True) -> Package:  # fmt: skip
        """Write a toy with changes in its source, in its header or in both."""
        root = self._folder / name / "compact" / "toy" / base
        shutil.rmtree(self._folder / name, ignore_errors=True)  # a row and the same one `-alone`
        nist = base == "nist"
        shutil.copytree((CORPUS / "sha3" if nist else TOYS) / base, root)
        if not nist:
            shutil.copy(TOYS / "toy.h", root)
        code = next(path for path in root.iterdir() if path.suffix in {".c", ".S"})
        paths = [next(root.glob("*.h"))] if header else []
        paths += [code] if source or not header else []
        for path, (old, new) in itertools.product(paths, edits):
            text = path.read_text()
            assert text.count(old) == 1, f"{path.name} has not one {old!r}"
            path.write_text(text.replace(old, new))
        (root / "verified.vectors").write_text("\n".join(vectors(bits=bits)))
        for goal in ("constbranch", "constindex") if goals else ():
            (root / f"goal-{goal}").touch()
        place = f"submissions/toy/{base}"
        (package,) = load_all(root, self._folder / name, place)
        assert isinstance(package, Package)
        return package

    def examine(
        self,
        package: Package,
        base: str,
        only: tuple[str, ...] = RULES,
        target_name: str = "",
        *,
        deep: bool = False,
        arch: str = "",
    ) -> dict[str, CheckResult]:
        """Put a package on trial at home; skip the test where that is not installed."""
        name = target_name or HOMES[base]
        target = native() if name == "native" else choose([name], catalogue())[0]
        if not look_for(target).ok:
            pytest.skip(look_for(target).reason)
        if base == "amd64" and target.architecture != "amd64":
            pytest.skip("needs an amd64 machine")
        configuration, compiler = target_configuration(target)
        configuration = replace(configuration, arch=f"{configuration.arch} {arch}".strip())
        recipe = Recipe(package, 1, configuration, compiler, target)
        return self._examined(recipe, only, deep=deep)

    def examine_with_tcc(self, package: Package) -> dict[str, CheckResult]:
        """Put a package on trial as tcc compiles it; skip the test where there is none."""
        tcc = shutil.which("tcc")
        if tcc is None:
            pytest.skip("no tcc")
        configuration = Configuration("tcc", "tcc", "", "", "tcc_default", "tcc_default")
        compiler = Compiler("tcc", "tcc", Path(tcc), "", "", "tcc")
        return self._examined(Recipe(package, 1, configuration, compiler), ("",))

    def _examined(
        self, recipe: Recipe, only: tuple[str, ...], *, deep: bool = False
    ) -> dict[str, CheckResult]:
        with open_workshop(self._jail, target=recipe.target) as workshop:
            build = workshop.build(recipe)
            depth = Depth.DEEP if deep else Depth.FULL
            outcome = workshop.examine(recipe, build, Extent(depth, brief=True, only=only))
        return {one.check: one for one in outcome.checks}
