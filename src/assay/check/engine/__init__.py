# SPDX-License-Identifier: MIT
"""Building cells and examining them."""
