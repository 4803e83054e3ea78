# SPDX-License-Identifier: Apache-2.0
"""`lab/run forwarding`: its options, and what runs by them."""

from testbed.experiments.forwarding import controller_absence, multipath
from testbed.network.plan import DUMBBELL, LEAF_SPINE
from testbed.options import common
from testbed.options.command import Command


def add_options(command):
    """Declare the options."""
    common.own_deployment(command)
    command.add_argument(
        "--topology",
        choices=(DUMBBELL.name, LEAF_SPINE.name),
        default=DUMBBELL.name,
        help="dumbbell: controller stopped and started; leaf-spine: several paths, one of them lost"
        " (dumbbell)",
    )


def run(options):
    """Run what the options select; returns the exit status."""
    is_leaf_spine = options.topology == LEAF_SPINE.name
    return multipath.run(options) if is_leaf_spine else controller_absence.run(options)


COMMAND = Command(
    controller_absence.EXPERIMENT,
    "Sluice's own forwarding with a controller, without it, after its return, and uninstalled",
    add_options,
    run,
)
