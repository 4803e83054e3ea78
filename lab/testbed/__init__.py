# SPDX-License-Identifier: Apache-2.0
"""Sluice's testbed: real packets through real Open vSwitch, in namespaces of one machine.

Each package documents its purpose in its docstring. A package imports only from ones
that stand further down, as `tests/test_packages.py` checks:

    cli
    experiments
    deployment    report
    traffic       control
    network
    runs
    system        measure       programs
"""
