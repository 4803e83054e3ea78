# SPDX-License-Identifier: Apache-2.0
"""`lab/run leaf-spine`: two paths from leaf to leaf; a hash chooses one for every stream."""

from testbed.experiments.sharing import experiment
from testbed.experiments.sharing.stream_placement import ObservedPlacement
from testbed.experiments.sharing.streams import Stream
from testbed.network.plan import LEAF_SPINE_WIRES
from testbed.options import common
from testbed.options.command import Command

EXPERIMENT = "leaf-spine"
# One transport for each endpoint: its own streams may share one queue at its host.
# Open vSwitch hashes UDP by addresses alone, TCP by ports too: h2 and h3 keep their paths.
STREAMS = (Stream("h1", "h6", "tcp"), Stream("h2", "h4", "udp"), Stream("h3", "h6", "udp"))
SECOND_STREAMS = (Stream("h1", "h4", "tcp"), Stream("h2", "h6", "udp"), Stream("h3", "h5", "udp"))
WEIGHTS = {"h1": 2}


def add_options(command):
    """Declare the options."""
    experiment.add_options(command)
    common.capacity(command, 12, "every wire from a leaf to a spine")
    command.add_argument(
        "--destinations",
        type=int,
        choices=(1, 2),
        default=1,
        help="to how many machines each of the three senders sends, maybe over two spines (1)",
    )
    command.add_argument(
        "--spreading",
        choices=("flows", "destinations"),
        help="what leaves spread over the spines: flows, by the switches' hash, or destinations, by"
        " Sluice's choice (destinations where each sender has two, else flows)",
    )


def run(options):
    """Run the experiment; returns the exit status."""
    capacity = options.capacity
    # Where Sluice does not know the paths, an endpoint with two destinations gets no fair share.
    spreading = options.spreading or ("destinations" if options.destinations == 2 else "flows")
    plan = LEAF_SPINE_WIRES.with_capacities([capacity] * len(LEAF_SPINE_WIRES.wires))
    return experiment.run(
        experiment.SharingExperiment(
            name=EXPERIMENT,
            title=f"Two spines, {capacity:g} Mbit/s to each",
            plan=plan,
            streams=STREAMS + (SECOND_STREAMS if options.destinations == 2 else ()),
            placement=ObservedPlacement,
            weights=WEIGHTS,
            nic_mbps=2 * capacity,  # both uplinks together
            properties={"spreading": spreading},
            further={
                "capacityMbps": capacity,
                "destinations": options.destinations,
                "spreading": spreading,
            },
        ),
        options,
    )


COMMAND = Command(
    EXPERIMENT,
    "two spines, streams placed by ECMP: weighted max-min shares for that placement",
    add_options,
    run,
)
