# SPDX-License-Identifier: MIT
"""What `./scripts/docs` writes: pages, tables in pages, and numbers in sentences."""
