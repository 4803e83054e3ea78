# SPDX-License-Identifier: Apache-2.0
"""`lab/run asymmetric-rtts`: senders near and far over one bottleneck, shares by weight."""

from dataclasses import replace

from testbed.experiments.sharing import experiment
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.experiments.sharing.streams import Stream
from testbed.network import addresses
from testbed.network.plan import DUMBBELL

EXPERIMENT = "asymmetric-rtts"
WEIGHTS = {"h4": 2}  # the farthest


def run(options):
    """Run the experiment; returns the exit status."""
    delays = dict(zip(addresses.SENDERS, options.delays, strict=True))
    delay_text = ", ".join(f"{delay:g}" for delay in options.delays)
    return experiment.run(
        experiment.SharingExperiment(
            name=EXPERIMENT,
            title=f"{options.cc} from {delay_text} ms away over one wire",
            plan=replace(DUMBBELL, delays_millis=delays),
            streams=tuple(Stream(host, addresses.RECEIVER, "tcp") for host in addresses.SENDERS),
            placement=PlannedPlacement,
            weights=WEIGHTS,
            nic_mbps=options.capacity,
            further={"capacityMbps": options.capacity, "delaysMillis": delays},
        ),
        options,
    )
