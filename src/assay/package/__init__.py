# SPDX-License-Identifier: MIT
"""Packages before they are built: found, read, named, and imported from archives.

Everything here looks at bytes and text. Nothing is compiled, preprocessed or
executed, and no file is opened that is not a regular one.
"""
