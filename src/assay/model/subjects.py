# SPDX-License-Identifier: MIT
"""What the agent says the code under test is, per kind."""

from typing import ClassVar

from msgspec import Struct

from assay.model.apis import authenticates
from assay.model.kinds import PackageKind


class SizeChoice(Struct, frozen=True, cache_hash=True):
    """One accepted combination of sizes; `mac_bits` is None for APIs without a MAC."""

    key_bits: int
    iv_bits: int
    mac_bits: int | None = None

    def __str__(self) -> str:
        """Write `128/64` or `128/64/96`."""
        parts = [self.key_bits, self.iv_bits]
        if self.mac_bits is not None:
            parts.append(self.mac_bits)
        return "/".join(str(part) for part in parts)

    def bits(self) -> tuple[int, int, int]:
        """Return what orders choices: the key, then the IV, then the MAC."""
        return (self.key_bits, self.iv_bits, self.mac_bits or 0)


class StreamSubject(Struct, frozen=True):
    """What the agent says the code under test is (kind `stream`).

    Sizes are as enumerated by the header's macros, in bits, unfiltered;
    `block_bytes` is ECRYPT_BLOCKLENGTH, `buffer_bytes` ECRYPT_BUFFERLENGTH.
    `profile` is None where the header lacks it. `mac_bits` is empty for
    `ecrypt-sync`. `functions` names what can be called. `used_bits` is how many
    bits of key and IV the header says matter; 0 where all do.
    """

    api: str
    name: str
    profile: str | None
    key_bits: tuple[int, ...]
    iv_bits: tuple[int, ...]
    mac_bits: tuple[int, ...]
    max_key_bits: int
    max_iv_bits: int
    max_mac_bits: int
    context_bytes: int
    block_bytes: int
    buffer_bytes: int
    flags: frozenset[str]
    functions: frozenset[str]
    used_bits: int = 0
    context_alignment: ClassVar[int] = 1  # its header does not say
    kind: ClassVar[PackageKind] = PackageKind.STREAM

    @property
    def title(self) -> str:
        """Return what it calls itself; empty where tables name the primitive."""
        return self.name

    @property
    def memory(self) -> tuple[str, int]:
        """Return what its users give it for its state, and how many bytes that is."""
        return "context", self.context_bytes

    @property
    def sizes(self) -> tuple[tuple[str, int], ...]:
        """Return the sizes of inputs and outputs that the API fixes, by their names there."""
        return (("KEYBYTES", self.max_key_bits // 8),)

    @property
    def authenticates(self) -> bool:
        """Return whether the API has a MAC."""
        return authenticates(self.api)


class HashSubject(Struct, frozen=True):
    """What the agent says the code under test is (kind `hash`).

    `context_alignment` is what the header's type asks for, in bytes.
    """

    api: str
    name: str
    context_bytes: int
    context_alignment: int
    kind: ClassVar[PackageKind] = PackageKind.HASH
    title: ClassVar[str] = ""
    profile: ClassVar[None] = None
    sizes: ClassVar[tuple[tuple[str, int], ...]] = ()

    @property
    def memory(self) -> tuple[str, int]:
        """Return what its users give it for its state, and how many bytes that is."""
        return "context", self.context_bytes


class OperationSubject(Struct, frozen=True):
    """What the agent says the code under test is (kind `operation`).

    `operation` is a name of `assay.model.operations`. `constants` are the values that
    api.h's names have for the compiler, without `CRYPTO_`; those it does not define are
    absent. `functions` are those that exist, without the operation's name (`_xor`), in
    the order of their numbers on the wire. `state_bytes` is the size of all static memory
    that the package may write.
    """

    operation: str
    primitive: str
    implementation: str
    constants: tuple[tuple[str, int], ...]
    functions: tuple[str, ...]
    state_bytes: int
    kind: ClassVar[PackageKind] = PackageKind.OPERATION
    title: ClassVar[str] = ""
    profile: ClassVar[None] = None

    @property
    def memory(self) -> tuple[str, int]:
        """Return what it keeps its state in, and how many bytes that is."""
        return "state", self.state_bytes

    @property
    def sizes(self) -> tuple[tuple[str, int], ...]:
        """Return the sizes of inputs and outputs that the API fixes, by their names there."""
        return tuple(one for one in self.constants if one[0].endswith(("BYTES", "ITEMS")))

    def constant(self, name: str) -> int:
        """Return a constant (`KEYBYTES`); 0 if api.h does not define it."""
        return dict(self.constants).get(name, 0)


Subject = StreamSubject | HashSubject | OperationSubject
