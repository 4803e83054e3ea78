# SPDX-License-Identifier: Apache-2.0
"""Networks of namespaces, wires and Open vSwitches: plans, building them, reading their switches.

Here belong addresses, plans and topologies, the nodes that they consist of, the switches'
tables and messages, and the path from the management network to a controller. No agents, no load.
"""
