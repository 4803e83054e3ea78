# SPDX-License-Identifier: Apache-2.0
"""What the machines of a network send to each other while something is measured.

Here belong starting the traffic programs, gathering their reports, and when their traffic counts.
What is sent in which experiment belongs to the experiment.
"""
