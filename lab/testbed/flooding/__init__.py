# SPDX-License-Identifier: Apache-2.0
"""One TCP tenant beside three UDP floods over one bottleneck, phase by phase.

Here belongs how phases are run, judged and reported for every experiment that has this traffic: the
dumbbell, Sluice beside another application's forwarding, and the time from a mark to a rate.
"""
