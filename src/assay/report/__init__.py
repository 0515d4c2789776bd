# SPDX-License-Identifier: MIT
"""What readers get: text, terminal, HTML, CSV and JSON; one exporter per file."""
