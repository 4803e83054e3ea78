# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell`: its options, and what runs by them."""

from testbed.control.laws import HYGENICC
from testbed.deployment.signals import ALL
from testbed.experiments.dumbbell import controllers, experiment, hygenicc, manual_rates
from testbed.options import common, values
from testbed.options.command import Command
from testbed.system.errors import LabError


def add_options(command):
    """Declare the options."""
    common.deployment(command, with_all=True, with_standalone=True)
    command.add_argument(
        "--manual-rates", action="store_true", help="no controller: rates set by hand at the agents"
    )
    common.congestion_control(command)
    command.add_argument(
        "--capacity",
        metavar="MBPS",
        type=values.mbps,
        help="of the bottleneck, and of each flood (50; with --short 30)",
    )
    command.add_argument(
        "--ip", type=int, choices=(4, 6), default=4, help="IP version of the traffic (4)"
    )
    common.law(command, with_hygenicc=True)
    command.add_argument(
        "--feedback",
        choices=hygenicc.FEEDBACKS,
        default=hygenicc.BIT,
        help="under hygenicc: marks go back in IPv4's reserved bit and messages, in messages"
        " alone, or by the agent link through a controller (bit)",
    )
    command.add_argument(
        "--limiter",
        choices=hygenicc.LIMITERS,
        default=hygenicc.SHAPE,
        help="under hygenicc: agents delay what exceeds a limit, or drop it (shape)",
    )
    common.signal_choices(command, with_all=True)
    command.add_argument(
        "--matrix",
        action="store_true",
        help="every --cc with every --law, one result each in --out",
    )
    command.add_argument(
        "--short",
        action="store_true",
        help="flooded and controlled alone, wide margins, one repetition allowed",
    )
    command.add_argument("--keep", action="store_true", help="leave everything up at the end")


def run(options):
    """Run what the options select; returns the exit status."""
    with_bottleneck_of_its_own = options.manual_rates or options.law == HYGENICC
    if options.capacity and with_bottleneck_of_its_own:
        raise LabError(
            "--capacity: --manual-rates and --law hygenicc run at 50 Mbit/s; leave it out"
        )
    if options.controller == ALL:
        return controllers.run(options, fits=not with_bottleneck_of_its_own)
    if options.manual_rates:
        return manual_rates.run(options)
    return hygenicc.run(options) if options.law == HYGENICC else experiment.run(options)


COMMAND = Command(
    experiment.EXPERIMENT, "one TCP against three UDP floods over one bottleneck", add_options, run
)
