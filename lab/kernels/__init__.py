# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels in emulation: fetched, booted, and what the agent does on them."""
