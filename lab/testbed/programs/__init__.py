# SPDX-License-Identifier: Apache-2.0
"""The programs that run as processes of their own inside namespaces.

Here belong what sends, receives, counts, delays or forwards packets, and what these have in common.
A program imports nothing of the testbed but modules of this package, so that it starts fast.

They share CLOCK_MONOTONIC with the runner, start and stop at given instants of it, and write what
they measured as JSON. iperf3 is not used: its control connection would have to survive the very
flood that is measured, and its clock starts when that connection does.
"""
