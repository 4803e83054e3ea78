# SPDX-License-Identifier: Apache-2.0
"""Traffic programs: each runs as a process of its own inside a namespace.

They share CLOCK_MONOTONIC with the runner, start and stop at given instants of it, and write what
they measured as JSON. iperf3 is not used: its control connection would have to survive the very
flood that is measured, and its clock starts when that connection does.
"""
