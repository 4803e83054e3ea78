# SPDX-License-Identifier: Apache-2.0
"""The command line `lab/run`: options, their values, and which experiments there are."""
