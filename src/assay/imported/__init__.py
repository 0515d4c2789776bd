# SPDX-License-Identifier: MIT
"""Results that others published: reading SUPERCOP's database lines."""
