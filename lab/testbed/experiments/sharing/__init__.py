# SPDX-License-Identifier: Apache-2.0
"""Greedy streams against weighted max-min shares: parking-lot, leaf-spine, asymmetric-rtts."""
