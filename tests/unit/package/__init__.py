# SPDX-License-Identifier: MIT
"""Tests of assay.package; a package so that its conftest has a name of its own for mypy."""
