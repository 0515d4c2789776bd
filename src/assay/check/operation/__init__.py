# SPDX-License-Identifier: MIT
"""Checks and measures of the 20 operations of eBACS (API `supercop`, kind `operation`)."""
