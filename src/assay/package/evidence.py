# SPDX-License-Identifier: MIT
"""What the loader knows about a package when it looks for quirks."""

from dataclasses import dataclass

from assay.model.api import Api
from assay.package.architecture import architecture_of
from assay.package.makefile import MakefileSettings
from assay.package.sources import reached
from assay.package.text import code_of, macros
from assay.package.tree import Contents

BUNDLED = ("ecrypt-portable.h", "ecrypt-config.h", "ecrypt-machine.h")


@dataclass(frozen=True, slots=True)
class QuirkEvidence:
    """What the loader knows when it looks for quirks; `variants` is None if not stated."""

    contents: Contents
    settings: MakefileSettings
    api: Api
    header: str
    sources: tuple[str, ...]
    variants: int | None

    @property
    def defined(self) -> dict[str, str]:
        """The header's macros."""
        return macros(self.contents.code(self.header))

    @property
    def architecture(self) -> str | None:
        """The one architecture that assembly among the sources binds the package to."""
        texts = (self.contents.text(n) for n in self.sources if not n.endswith(".c"))
        return next(filter(None, map(architecture_of, texts)), None)

    def all_code(self) -> str:
        """Join the text that can reach the compiler: sources, headers and included parts."""
        names = set(self.sources)
        names.update(
            n for n in self.contents.files if n.endswith((".h", ".c", ".s", ".S", ".inc"))
        )
        return "\n".join(code_of(self.contents.text(n)) for n in sorted(names))

    def c_files(self) -> tuple[str, ...]:
        """Name the C text compiled under the std line: what the sources reach by includes."""
        sources = (n for n in self.sources if n.endswith(".c"))
        return tuple(sorted(reached(self.contents, [self.header, *sources]) - set(BUNDLED)))

    @property
    def has_makefile(self) -> bool:
        """Return whether there is a Makefile at all."""
        return self.contents.spelled("Makefile") is not None
