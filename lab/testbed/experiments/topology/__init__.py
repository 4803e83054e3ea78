# SPDX-License-Identifier: Apache-2.0
"""`lab/run topology`: a network without an experiment, for trials by hand or by another test."""
