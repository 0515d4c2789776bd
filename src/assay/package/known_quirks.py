# SPDX-License-Identifier: MIT
"""All quirks, as data: loaders report them, and docs/reference/checks.md lists them.

Words in braces are values that a loader puts in.
"""

import re
from dataclasses import dataclass

from assay.model import Quirk

_VALUE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class KnownQuirk:
    """A departure from the API that is accepted: what is said of it, its cure, and why it matters.

    `message` and `cure` are templates; `why` is for docs/reference/checks.md.
    """

    name: str
    message: str
    cure: str
    why: str

    def found(self, **values: object) -> Quirk:
        """Make the quirk of one package, with what was seen there."""
        return Quirk(self.name, self.message.format(**values), self.cure.format(**values))

    def spelled(self, text: str) -> str:
        """Write a template for readers: values in capitals."""
        return _VALUE.sub(lambda value: value[1].upper(), text)


NO_NAME = KnownQuirk(
    "quirk/no-name",
    "The header does not define ECRYPT_NAME.",
    'Add `#define ECRYPT_NAME "..."` to the header.',
    "Tables show the name of the package's folder instead.",
)
NO_PROFILE = KnownQuirk(
    "quirk/no-profile",
    "The header does not define ECRYPT_PROFILE.",
    'Add `#define ECRYPT_PROFILE "S3___"` (or what applies) to the header.',
    "Tables cannot show the eSTREAM profile of the submission.",
)
NO_MAXVARIANT = KnownQuirk(
    "quirk/no-maxvariant",
    "The header does not define ECRYPT_MAXVARIANT; one variant is assumed.",
    "Add `#define ECRYPT_MAXVARIANT 1` to the header.",
    "Further variants would not be found.",
)
NO_GUARD = KnownQuirk(
    "quirk/no-guard",
    "The header does not define {guard}, which identifies the API.",
    "Start the header with `#ifndef {guard}` and `#define {guard}`.",
    "A header that is included twice fails to compile, and the API is inferred from the "
    "file's name.",
)
HEADER_CASE = KnownQuirk(
    "quirk/header-case",
    "The header is named {header}.",
    "Rename it to {lower}: most file systems distinguish case.",
    "Code that includes the name of the API does not find it.",
)
OLD_HEADER = KnownQuirk(
    "quirk/old-header",
    "The header does not declare {missing}.",
    "Take the header of the API again and fill in its [edit] parts.",
    "Skeletons changed over the years; the adapter adds what an older one lacks.",
)
KEYSTREAM_MISSING = KnownQuirk(
    "quirk/keystream-missing",
    "ECRYPT_GENERATES_KEYSTREAM is set, but {missing} is not defined.",
    "Define the function, or write #undef ECRYPT_GENERATES_KEYSTREAM.",
    "Well-known submissions announce these functions and lack them; "
    "`keystream/functions` is then skipped.",
)
KEYSTREAM_MISNAMED = KnownQuirk(
    "quirk/keystream-misnamed",
    "The macro ECRYPT_keystream_blocks names ECRYPT_AE_keystream_bytes, which no API has; "
    "ECRYPT_keystream_bytes is called.",
    "Write ECRYPT_keystream_bytes in the macro.",
    "The mistake comes from an old skeleton, and the original framework never expanded the macro.",
)
VARIANT_FIXED = KnownQuirk(
    "quirk/variant-fixed",
    "The header sets ECRYPT_VARIANT itself: all variants are the same code.",
    "Put `#ifndef ECRYPT_VARIANT` around the definition.",
    "No other variant can be selected.",
)
VARIANT_UNUSED = KnownQuirk(
    "quirk/variant-unused",
    "{variants} variants are announced, but no source uses ECRYPT_VARIANT.",
    "Set ECRYPT_MAXVARIANT to 1.",
    "The same code would be measured several times.",
)
NO_MAKEFILE = KnownQuirk(
    "quirk/no-makefile",
    "{seen}; these sources are used: {sources}.",
    "Let `assay cleanup` write one.",
    "The Makefile gives the name and the dialect of the source.",
)
SOURCE_NAME = KnownQuirk(
    "quirk/source-name",
    "There is no {name}.c, .S or .s; these sources are used: {sources}.",
    "Rename the source to {name}.c, or correct the Makefile's name.",
    "The original framework compiles `$(name).c` and nothing else.",
)
NO_STD = KnownQuirk(
    "quirk/no-std",
    "The Makefile has no `std = ` line; the compiler's default dialect is used.",
    "Add a line such as `std = -ansi` or `std = -std=c99`.",
    "The default dialect differs between compilers and their versions.",
)
STD_EXPANSION = KnownQuirk(
    "quirk/std-expansion",
    "The std line has words for make to expand: {words}; they are left out.",
    "Write plain compiler options.",
    "make is never run on a submitted Makefile: `$(shell ...)` would execute.",
)
STD_OPTION = KnownQuirk(
    "quirk/std-option",
    "The std line has options that are not passed to the compiler: {words}.",
    "Keep the dialect, warnings, plain -DNAME=VALUE and -UNAME there.",
    (
        "The configuration decides how code is compiled, for every package alike; tables name "
        "the omitted options."
    ),
)
ANSI_LINE_COMMENTS = KnownQuirk(
    "quirk/ansi-line-comments",
    "The std line asks for C89, but {file} has // comments.",
    "Write `std = -std=c99`, or change them to /* ... */.",
    "A strict C89 compiler rejects them.",
)
ANSI_U64 = KnownQuirk(
    "quirk/ansi-u64",
    "{file} uses u64, which does not exist on 32-bit machines with the C89 of the std line.",
    "Write `std = -std=c99`.",
    "C89 has no 64-bit type where `long` has 32 bits.",
)
BUNDLED_PORTABLE = KnownQuirk(
    "quirk/bundled-portable",
    "The package brings its own {files}; it is compiled with them.",
    "Remove them: the framework's own files support more machines.",
    "An old copy may be wrong on newer machines.",
)
KEYSETUP_MISSING = KnownQuirk(
    "quirk/keysetup-missing",
    "No key setup function is seen in {sources}.",
    "Define ECRYPT_keysetup (ECRYPT_AE_keysetup) under its own name.",
    "If a macro makes the function, this is harmless; otherwise the package does not link.",
)
ONE_ARCHITECTURE = KnownQuirk(
    "quirk/one-architecture",
    "There is assembly for {architecture} only.",
    "Add C for the other machines, or a .S file that chooses by #if.",
    "The package cannot be built elsewhere.",
)
OUTSIDE_INCLUDE = KnownQuirk(
    "quirk/outside-include",
    '{file} includes "{included}", which the jail does not show.',
    "Put the file, or a link to it, into the package.",
    "Code is compiled in a jail that shows only the package and the system's headers.",
)
SPECIAL_FILE = KnownQuirk(
    "quirk/special-file",
    "These are not regular files and are left out: {files}.",
    "Remove them from the package.",
    "Reading a pipe or a device may never end.",
)
NO_VECTORS = KnownQuirk(
    "quirk/no-vectors",
    "There is no verified vector file: correctness cannot be compared.",
    "Make vectors, verify them, and name the file verified.test-vectors.",
    "The other checks also pass for a cipher that computes something else.",
)
TWO_VECTOR_FILES = KnownQuirk(
    "quirk/two-vector-files",
    "There are several vector files ({files}); {taken} is used.",
    "Keep one file called verified.test-vectors.",
    "They may contradict each other, and only one is compared.",
)
TEST_PROGRAM = KnownQuirk(
    "quirk/test-program",
    "{files}: test programs among the sources; they are not compiled",
    "Keep test programs in a folder of their own.",
    "NIST's generators of KATs have a `main` and do not belong to an implementation.",
)
NOT_IN_MAKEFILE = KnownQuirk(
    "quirk/not-in-makefile",
    "{files}: sources that the package's Makefile does not name; they are not compiled",
    "Keep only what the implementation needs in its folder.",
    "Submissions carry sources for other parameter sets and for measuring, whose functions "
    "would be defined twice or read the clock.",
)
MAKEFILE_MACROS = KnownQuirk(
    "quirk/makefile-macros",
    "{macros}: macros with which the package's Makefile compiles its functions, so does Assay",
    "Define in a header what the implementation needs.",
    "Submissions choose a parameter set on the command line; SUPERCOP compiles without.",
)
OWN_RANDOMBYTES = KnownQuirk(
    "quirk/own-randombytes",
    "{files} defines randombytes; it is {what}, and Assay's is called",
    "Remove it: randombytes belongs to the framework.",
    "Only random bytes from the bench can be repeated and compared.",
)
DANGLING_LINK = KnownQuirk(
    "quirk/dangling-link",
    "{files}: links to nothing; no source includes them",
    "Remove them, or put the files in their place.",
    "Archives often lack the targets of links.",
)
BIDI_CONTROLS = KnownQuirk(
    "quirk/bidi-controls",
    (
        "{file}:{line} has characters that change the direction of text, so an editor shows "
        "other code than the compiler sees."
    ),
    "Remove them, and read the line as bytes.",
    "Reviewers see code that differs from what runs (CVE-2021-42574).",
)

KNOWN_QUIRKS = tuple(one for one in globals().copy().values() if isinstance(one, KnownQuirk))
