# SPDX-License-Identifier: Apache-2.0
"""Sluice's testbed: real packets through real Open vSwitch, in namespaces of one machine."""
