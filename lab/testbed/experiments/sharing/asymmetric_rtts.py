# SPDX-License-Identifier: Apache-2.0
"""`lab/run asymmetric-rtts`: senders near and far over one bottleneck, shares by weight."""

from dataclasses import replace

from testbed.experiments.sharing import experiment as sharing_frame
from testbed.experiments.sharing.stage_runner import Stream
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.network import addresses
from testbed.network.plan import DUMBBELL

EXPERIMENT = "asymmetric-rtts"
WEIGHTS = {"h4": 2}  # the farthest


def run(options):
    """Run the experiment; returns the exit status."""
    delays = dict(zip(addresses.SENDERS, options.delays, strict=True))
    words = ", ".join(f"{delay:g}" for delay in options.delays)
    return sharing_frame.run(
        sharing_frame.Sharing(
            name=EXPERIMENT,
            title=f"{options.cc} from {words} ms away over one wire",
            plan=replace(DUMBBELL, delays_millis=delays),
            streams=tuple(Stream(host, addresses.RECEIVER, "tcp") for host in addresses.SENDERS),
            placement=PlannedPlacement,
            weights=WEIGHTS,
            nic_mbps=options.capacity,
            further={"capacityMbps": options.capacity, "delaysMillis": delays},
        ),
        options,
    )
