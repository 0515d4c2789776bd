# SPDX-License-Identifier: MIT
"""The kind `stream`: synchronous stream ciphers, with or without authentication."""
