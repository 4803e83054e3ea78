# SPDX-License-Identifier: Apache-2.0
"""`lab/run parking-lot`: two bottlenecks in a row; some streams cross both, some one of them."""

from testbed.experiments.sharing import experiment
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.experiments.sharing.streams import Stream
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
    capacity_text = " and ".join(f"{capacity:g}" for capacity in capacities)
    return experiment.run(
        experiment.SharingExperiment(
            name=EXPERIMENT,
            title=f"Two wires of {capacity_text} Mbit/s in a row",
            plan=PARKING_LOT.with_capacities(capacities),
            streams=STREAMS,
            placement=PlannedPlacement,
            weights=WEIGHTS,
            nic_mbps=max(capacities),
            further={"capacitiesMbps": list(capacities)},
        ),
        options,
    )
