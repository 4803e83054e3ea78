# SPDX-License-Identifier: Apache-2.0
"""`lab/run asymmetric-rtts`: senders near and far over one bottleneck, shares by weight."""

import argparse
from dataclasses import replace

from testbed.experiments.sharing import experiment
from testbed.experiments.sharing.stream_placement import PlannedPlacement
from testbed.experiments.sharing.streams import Stream
from testbed.network import addresses
from testbed.network.plan import DUMBBELL
from testbed.options import common
from testbed.options.command import Command

EXPERIMENT = "asymmetric-rtts"
WEIGHTS = {"h4": 2}  # the farthest


def add_options(command):
    """Declare the options."""
    experiment.add_options(command)
    command.add_argument(
        "--delays",
        metavar="MS,MS,MS,MS",
        type=delays_of_senders,
        default=(0.5, 2.0, 5.0, 10.0),
        help="delay of acknowledgements and all other packets to each sender (0.5,2,5,10)",
    )
    common.capacity(command, 40, "the wire")


def delays_of_senders(text):
    """A delay in milliseconds for each sender, such as 0.5,2,5,10."""
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    count = len(addresses.SENDERS)
    if len(found) != count or not all(0 <= value <= 200 for value in found):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not {count} delays of 0 to 200 ms, such as 0.5,2,5,10"
        )
    return found


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


COMMAND = Command(
    EXPERIMENT,
    "senders near and far over one bottleneck: shares by weight for any round-trip time",
    add_options,
    run,
)
