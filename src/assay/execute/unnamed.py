# SPDX-License-Identifier: MIT
"""Files without a name, which only those have who inherit the descriptor.

Linux keeps them in memory, and can let nobody change their size. Elsewhere they are files of
the folder for temporary ones whose name is gone.
"""

import fcntl
import os
import tempfile

IN_MEMORY = hasattr(os, "memfd_create")


def unnamed_file(name: str, content: bytes = b"", *, fixed: bool = False) -> int:
    """Make a file with a content and return its descriptor; a `fixed` one keeps its size.

    `name` is seen in lists of open files only.
    """
    if not IN_MEMORY:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
        os.pwrite(descriptor, content, 0)
        return descriptor
    sealing = os.MFD_ALLOW_SEALING if fixed else 0
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | sealing)
    os.pwrite(descriptor, content, 0)
    if fixed:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    return descriptor
