# SPDX-License-Identifier: Apache-2.0
"""Sluice's testbed: real packets through real Open vSwitch, in namespaces of one machine.

Every module lies in a room, whose docstring says what belongs there. A room imports only from rooms
that stand further down, as `tests/test_rooms.py` checks:

    cli
    experiments
    deployment    report
    traffic       control
    network
    runs
    system        measure       programs
"""
