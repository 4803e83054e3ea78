# SPDX-License-Identifier: Apache-2.0
"""`lab/run parking-lot`: two bottlenecks in a row; some streams cross both, some one of them."""

import argparse

from testbed.experiments.sharing import experiment
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.experiments.sharing.streams import Stream
from testbed.network.plan import PARKING_LOT
from testbed.options import values
from testbed.options.command import Command

EXPERIMENT = "parking-lot"
STREAMS = (
    Stream("h1", "h6", "tcp"),  # over both
    Stream("h2", "h6", "udp"),  # over both
    Stream("h3", "h5", "udp"),  # over the first
    Stream("h4", "h6", "tcp"),  # over the second
)
WEIGHTS = {"h1": 2, "h4": 2}


def add_options(command):
    """Declare the options."""
    experiment.add_options(command)
    command.add_argument(
        "--capacities",
        metavar="MBPS,MBPS",
        type=two_mbps,
        default=(25.0, 25.0),
        help="of the first and the second wire (25,25)",
    )


def two_mbps(text):
    """Two capacities, such as 50,30."""
    found = tuple(values.mbps(part) for part in text.split(","))
    if len(found) != 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not two capacities, such as 50,30")
    return found


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


COMMAND = Command(
    EXPERIMENT,
    "two bottlenecks in a row: weighted max-min shares of long and cross traffic",
    add_options,
    run,
)
