# SPDX-License-Identifier: Apache-2.0
"""The command line `lab/run`: its parser, and which experiments there are."""
