# SPDX-License-Identifier: Apache-2.0
"""A wire between two switches: a namespace that holds the bottleneck.

The bottleneck is no port of the switch itself: there a full queue makes Open vSwitch drop the rest
of a batch without counting it. In a namespace of its own the port agent counts every backlog and
drop.
"""

from testbed.network.namespaces import Namespace

LEFT, RIGHT = "wa", "wb"


class Wire(Namespace):
    """The namespace of a port agent: wa towards the link's left end, wb towards its right."""

    def bridge_ends(self):
        """Bridge both ends without any bottleneck, for a topology without agents."""
        self.bridge("br0", [LEFT, RIGHT])
