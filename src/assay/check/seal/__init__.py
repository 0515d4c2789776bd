# SPDX-License-Identifier: MIT
"""What an authenticated operation must refuse to open, and what it leaves behind then."""
