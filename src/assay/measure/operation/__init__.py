# SPDX-License-Identifier: MIT
"""Timing the operations of the SUPERCOP API."""
