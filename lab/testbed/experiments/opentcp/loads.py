# SPDX-License-Identifier: Apache-2.0
"""The loads: all are low, far below the utilisation at which policies end hints.

Sizes are of whole transfers; a first window of ten segments has 14,480 bytes of them, one of twenty
28,960.
"""

from dataclasses import dataclass

FAR_SENDERS, FAR_RECEIVER, NEAR_RECEIVER = ("h1", "h2"), "h8", "h7"
RECEIVERS = NEAR_RECEIVER, FAR_RECEIVER
# Services keep connections to each other: they are there, idle, when something is to be sent.
KEPT_MILLIS = 100


@dataclass(frozen=True)
class Load:
    """Short flows of some hosts to a receiver.

    per_second: instants at which each host begins flows, in the mean; at_once: flows of each size
    at each. is_synchronous: all hosts begin theirs at the same instants. connect_ahead_millis:
    connections are there so long before; 0: they begin with their flow.
    """

    name: str
    hosts: tuple
    receiver: str
    sizes_bytes: tuple
    per_second: float
    at_once: int = 1
    is_synchronous: bool = False
    connect_ahead_millis: int = KEPT_MILLIS

    def seed(self, number, place, kind):
        """Of the instants of a round, of the host at a place and of a kind of sizes."""
        host = 0 if self.is_synchronous else place
        return (number * len(self.hosts) + host) * len(self.sizes_bytes) + kind


# Answers of services elsewhere: each flow by itself, a round trip of which there is time to count.
FAR = Load("far", FAR_SENDERS, FAR_RECEIVER, (12_000, 20_000, 28_000, 60_000), per_second=3)
# The same, each in a new connection.
FAR_FRESH = Load(
    *("far-fresh", FAR_SENDERS, FAR_RECEIVER, FAR.sizes_bytes),
    per_second=3,
    connect_ahead_millis=0,
)
# What one request brings from 32 workers to the requester, all at once.
INCAST = Load(
    *("incast", ("h3", "h4", "h5", "h6"), NEAR_RECEIVER, (8_000,)),
    per_second=3,
    at_once=8,
    is_synchronous=True,
)
LOADS = (FAR, FAR_FRESH, INCAST)
DEFAULT_LOADS = (FAR, INCAST)
