# SPDX-License-Identifier: Apache-2.0
"""Which runs exist on this machine, and what each of them left.

Here belong the names that follow from a run's id, the register of runs, and the search
for leftovers.
"""
