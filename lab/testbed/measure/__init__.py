# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on what was measured: quantiles, series, shares, gaps, delays.

Here belong pure functions and small classes over numbers and decoded documents. Nothing in it
starts a process, opens a connection or knows an address; at most it reads a file of samples.
"""
