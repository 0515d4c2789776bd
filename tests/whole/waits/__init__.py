# SPDX-License-Identifier: MIT
"""`./scripts/waits`: how long a person waits for the main commands."""
