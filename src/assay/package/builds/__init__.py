# SPDX-License-Identifier: MIT
"""Files of builds, in their own languages: read for what they say of sources and macros."""
