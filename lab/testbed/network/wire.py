# SPDX-License-Identifier: Apache-2.0
"""A wire between two switches: where the bottleneck lives.

Never on a port of the switch itself: there a full queue makes Open vSwitch throw away the rest of a
batch, uncounted. In a namespace of its own the port agent counts every backlog and drop exactly.
"""

from testbed.network.namespaces import Namespace

LEFT, RIGHT = "wa", "wb"


class Wire(Namespace):
    """The namespace of a port agent: wa towards the link's left end, wb towards its right."""

    def join_plainly(self):
        """Bridge both ends without any bottleneck, for a topology without agents."""
        self.bridge("br0", [LEFT, RIGHT])
