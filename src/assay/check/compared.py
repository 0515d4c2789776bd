# SPDX-License-Identifier: MIT
"""What a comparison says of its origin."""


def compared_with(reference: str) -> str | None:
    """Return the remark of a comparison that passed; None where the package's own tree has it."""
    return f"compared with {reference}, which Assay comes with" if reference else None
