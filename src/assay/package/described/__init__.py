# SPDX-License-Identifier: MIT
"""Trees with a build of their own, described by an `assay.toml` in the tree or apart from it."""
