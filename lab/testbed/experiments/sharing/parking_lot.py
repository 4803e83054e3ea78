# SPDX-License-Identifier: Apache-2.0
"""`lab/run parking-lot`: two bottlenecks in a row; some streams cross both, some one of them."""

from testbed.experiments.sharing import experiment as sharing_frame
from testbed.experiments.sharing.stage_runner import Stream
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.network.plan import PARKING_LOT

EXPERIMENT = "parking-lot"
STREAMS = (
    Stream("h1", "h6", "tcp"),  # over both
    Stream("h2", "h6", "udp"),  # over both
    Stream("h3", "h5", "udp"),  # over the first
    Stream("h4", "h6", "tcp"),  # over the second
)
WEIGHTS = {"h1": 2, "h4": 2}


def run(options):
    """Run the experiment; returns the exit status."""
    capacities = options.capacities
    words = " and ".join(f"{capacity:g}" for capacity in capacities)
    return sharing_frame.run(
        sharing_frame.Sharing(
            name=EXPERIMENT,
            title=f"Two wires of {words} Mbit/s in a row",
            plan=PARKING_LOT.with_capacities(capacities),
            streams=STREAMS,
            placement=PlannedPlacement,
            weights=WEIGHTS,
            nic_mbps=max(capacities),
            further={"capacitiesMbps": list(capacities)},
        ),
        options,
    )
