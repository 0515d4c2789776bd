# SPDX-License-Identifier: MIT
"""Timing stream ciphers."""
