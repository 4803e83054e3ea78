# SPDX-License-Identifier: Apache-2.0
"""`lab/run faults`: what breaks, for whom, for how long, and what is left of it."""
