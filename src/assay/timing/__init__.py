# SPDX-License-Identifier: MIT
"""Clocks, canaries and batches: what timing code through an agent takes."""
