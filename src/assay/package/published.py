# SPDX-License-Identifier: MIT
"""Reading `published.toml`, which a primitive's folder may have."""

import tomllib
from pathlib import Path

from assay.errors import PackageError
from assay.model.published import Published
from assay.package.text import read_text

NAME = "published.toml"


def published_figures(folder: Path) -> tuple[Published, ...]:
    """Read the file in `folder` or one of the two above; none if there is none.

    PackageError if it cannot be understood.
    """
    found = next((p / NAME for p in (folder, *folder.parents[:2]) if (p / NAME).is_file()), None)
    if found is None:
        return ()
    try:
        content = tomllib.loads(read_text(found))
        return tuple(
            Published(
                str(row["architecture"]),
                int(row["size_bytes"]),
                float(row["long_cycles"]) if "long_cycles" in row else None,
                int(row["short_cycles"]) if "short_cycles" in row else None,
                str(row.get("machine", "")),
                str(content["source"]),
            )
            for row in content["figure"]
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PackageError(
            f"{found}: {error!r}", "docs/reference/sizes.md shows the form."
        ) from None
