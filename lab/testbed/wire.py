# SPDX-License-Identifier: Apache-2.0
"""The wire between the switches: where the bottleneck lives.

Never on a port of the switch itself: there a full queue makes Open vSwitch throw away the rest of a
batch, uncounted. In a namespace of its own the port agent counts every backlog and drop exactly.
"""

from testbed.namespaces import Namespace

LEFT, RIGHT = "wa", "wb"


class Wire(Namespace):
    """The namespace of the port agent: wa towards s1, wb towards s2."""

    def __init__(self, lab_run):
        super().__init__(lab_run, "wire")

    def join_plainly(self):
        """Bridge both ends without any bottleneck, for a topology without agents."""
        self.bridge("br0", [LEFT, RIGHT])
