# SPDX-License-Identifier: MIT
"""What a store adds up to: cells, rows, ranks."""
