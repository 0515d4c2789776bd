# SPDX-License-Identifier: MIT
"""Quirks of the API header: what it lacks, and what it says that is not so."""

import re

from assay.model import Quirk
from assay.model.api import Role
from assay.package import known_quirks as known
from assay.package.evidence import QuirkEvidence
from assay.package.text import defines


def _no_name(evidence: QuirkEvidence) -> Quirk | None:
    if "ECRYPT_NAME" in evidence.defined:
        return None
    return known.NO_NAME.found()


def _no_profile(evidence: QuirkEvidence) -> Quirk | None:
    if "ECRYPT_PROFILE" in evidence.defined:
        return None
    return known.NO_PROFILE.found()


def _no_maxvariant(evidence: QuirkEvidence) -> Quirk | None:
    if evidence.variants is not None:
        return None
    return known.NO_MAXVARIANT.found()


def _no_guard(evidence: QuirkEvidence) -> Quirk | None:
    guard = evidence.api.marks.guard
    if guard in evidence.defined:
        return None
    return known.NO_GUARD.found(guard=guard)


def _header_case(evidence: QuirkEvidence) -> Quirk | None:
    if evidence.header == evidence.header.lower():
        return None
    return known.HEADER_CASE.found(header=evidence.header, lower=evidence.header.lower())


def _old_header(evidence: QuirkEvidence) -> Quirk | None:
    prefix = "ECRYPT_AE_" if Role.MAC in evidence.api.roles else "ECRYPT_"
    code = evidence.contents.code(evidence.header)
    wanted = ("encrypt_bytes", "encrypt_packet", "encrypt_blocks")
    missing = [prefix + name for name in wanted if prefix + name not in code]
    if "ECRYPT_USES_DEFAULT_ALL_IN_ONE" in evidence.defined:
        missing = [name for name in missing if not name.endswith("packet")]
    if not missing:
        return None
    return known.OLD_HEADER.found(missing=", ".join(missing))


def _keystream_missing(evidence: QuirkEvidence) -> Quirk | None:
    if (
        not evidence.api.has("_keystream_bytes")
        or "ECRYPT_GENERATES_KEYSTREAM" not in evidence.defined
    ):
        return None
    code = evidence.all_code()
    wanted = ["ECRYPT_keystream_bytes"]
    if "ECRYPT_USES_DEFAULT_BLOCK_MACROS" not in evidence.defined:
        wanted.append("ECRYPT_keystream_blocks")
    missing = [name for name in wanted if not defines(code, name)]
    if not missing:
        return None
    return known.KEYSTREAM_MISSING.found(missing=" and ".join(missing))


def _keystream_misnamed(evidence: QuirkEvidence) -> Quirk | None:
    body = evidence.defined.get("ECRYPT_keystream_blocks", "")
    if not evidence.api.has("_keystream_bytes") or "ECRYPT_AE_keystream_bytes" not in body:
        return None
    return known.KEYSTREAM_MISNAMED.found()


def _variant_fixed(evidence: QuirkEvidence) -> Quirk | None:
    code = evidence.contents.code(evidence.header)
    if (evidence.variants or 1) == 1 or "ECRYPT_VARIANT" not in evidence.defined:
        return None
    if re.search(r"#[ \t]*if(ndef[ \t]+|.*defined.*)\bECRYPT_VARIANT\b", code):
        return None
    return known.VARIANT_FIXED.found()


def _variant_unused(evidence: QuirkEvidence) -> Quirk | None:
    others = [n for n in evidence.c_files() if n != evidence.header] + [
        n for n in evidence.sources if not n.endswith(".c")
    ]
    used = any("ECRYPT_VARIANT" in evidence.contents.code(n) for n in others)
    header_code = evidence.contents.code(evidence.header)
    used = used or bool(re.search(r"ECRYPT_VARIANT[ \t)]*[=!<]=?[ \t]*[0-9]", header_code))
    if (evidence.variants or 1) == 1 or used:
        return None
    return known.VARIANT_UNUSED.found(variants=evidence.variants)


RULES = (
    _no_name,
    _no_profile,
    _no_maxvariant,
    _no_guard,
    _header_case,
    _old_header,
    _keystream_missing,
    _keystream_misnamed,
    _variant_fixed,
    _variant_unused,
)
