# SPDX-License-Identifier: MIT
"""Tests of assay.package.described; a package so that mypy tells its conftest apart."""
