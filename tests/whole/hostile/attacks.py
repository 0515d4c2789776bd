# SPDX-License-Identifier: MIT
"""The hostile corpus: what stands in attacks.toml, and packages made of it."""

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.objects import Entry
from tests.whole.hostile.outside import Outside

HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus"
HONEST = CORPUS / "sync"
UNCHANGED = "unchanged"
CALLS = {
    "keysetup": ("    for (i = 0; i < 4; i++)\n        ctx->key[i] = 0;\n", "    attack();\n"),
    "encrypt": ("    u32 whole = length / 16 * 16;\n", "    attack();\n"),
}
ONCE = "    {{ static int done; if (!done++) {call} }}\n"


@dataclass(frozen=True)
class Attack:
    """One attack; the fields are described on top of attacks.toml."""

    name: str
    tries: str
    when: str
    outcome: str
    code: str = ""
    at: str = "constructor"
    files: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    edits: tuple[tuple[str, str, str], ...] = ()
    figure: str = ""
    machine: bool = False
    sealed: bool = False
    weak: bool = False
    fast: bool = False
    slow: bool = False
    whole: bool = False

    @classmethod
    def from_entry(cls, entry: Entry) -> "Attack":
        """Read an entry of the corpus."""
        known = {**entry, **entry.get("expect", {})}
        known.pop("expect", None)
        known["files"] = tuple(entry.get("files", {}).items())
        for name in ("links", "edits"):
            known[name] = tuple(map(tuple, entry.get(name, ())))
        return cls(**known)

    @property
    def by_itself(self) -> bool:
        """Say whether its code runs without being called, which is a defect of its own."""
        return self.when == "run" and bool(self.code) and self.at in {"constructor", "destructor"}

    def write(self, root: Path, outside: Outside) -> None:
        """Write the package."""
        shutil.copytree(HONEST, root)
        source = root / "toy.c"
        text = source.read_text()
        for file, old, new in self.edits:
            assert file == "toy.c"
            assert text.count(old) == 1, f"{file} has not one {old!r}"
            text = text.replace(old, new)
        source.write_text(self._hostile(text, outside))
        for name, content in self.files:
            (root / name).write_text(outside.filled(content))
        for name, to in self.links:
            (root / name).unlink(missing_ok=True)
            (root / name).symlink_to(outside.filled(to))

    def _hostile(self, honest: str, outside: Outside) -> str:
        """Put the attack before the honest code, and its call where it shall be made."""
        if not self.code:
            return honest
        if self.when == "compile":
            return f"{outside.filled(self.code)}\n{honest}"
        prelude = (HERE / "prelude.h").read_text()
        start = f"{prelude}\n{self.code}\n"
        if self.at in {"constructor", "destructor"}:
            start += f"__attribute__(({self.at})) static void begin(void) {{ attack(); }}\n"
        elif self.at in CALLS:
            before, call = CALLS[self.at]
            assert honest.count(before) == 1
            after = before + ONCE.format(call=call.strip())
            honest = honest.replace(before, after)
        return f"{outside.filled(start)}\n{honest}"


def all_attacks() -> tuple[Attack, ...]:
    """Read the corpus."""
    entries = tomllib.loads((HERE / "attacks.toml").read_text())["attack"]
    return tuple(map(Attack.from_entry, entries))
