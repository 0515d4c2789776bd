# SPDX-License-Identifier: MIT
"""`./scripts/ahead`: the shipped ciphers against those of a SUPERCOP tree, in one run each."""
