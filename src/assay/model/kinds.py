# SPDX-License-Identifier: MIT
"""The kinds of packages."""

from enum import StrEnum


class PackageKind(StrEnum):
    """What sort of primitive a package has; an agent is built for one kind."""

    STREAM = "stream"
    HASH = "hash"
    OPERATION = "operation"
