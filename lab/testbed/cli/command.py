# SPDX-License-Identifier: Apache-2.0
"""`lab/run`: which experiments there are and what they can be told."""

import argparse
import sys

from testbed.cli import housekeeping
from testbed.control.agents import ENDPOINT_SOURCES, STATIC
from testbed.control.controller import OAR
from testbed.deployment import signals
from testbed.experiments import topology
from testbed.experiments.deadlines import experiment as deadlines
from testbed.experiments.deadlines import switch_observations
from testbed.experiments.dumbbell import experiment as dumbbell
from testbed.experiments.dumbbell import manual_rates
from testbed.experiments.faults import experiment as faults
from testbed.experiments.forwarding import controller_absence, other_forwarding
from testbed.experiments.rates import mark_to_rate, rate_error
from testbed.experiments.sharing import asymmetric_rtts, leaf_spine, parking_lot
from testbed.experiments.soak import experiment as soak
from testbed.network.addresses import SENDERS
from testbed.network.plan import DUMBBELL, LEAF_SPINE, PLANS
from testbed.system.errors import LabError

NOT_RUN = 2
INTERRUPTED = 130
CONGESTION_CONTROLS = ("reno", "cubic", "bbr")
LAWS = ("sluice", "paper")
EXIT_HELP = (
    "exit status: 0 every expectation holds and nothing is left behind; 1 not so; 2 could not run;"
    " 3 inconclusive, the machine had under 10 % idle CPU or was itself taken away"
)


def main(arguments=None):
    """Parse the command line and run; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except LabError as failure:
        print(f"lab/run: {failure}", file=sys.stderr)
        return NOT_RUN
    except KeyboardInterrupt:
        print("lab/run: interrupted; what it had made is removed", file=sys.stderr)
        return INTERRUPTED


def _parser():
    parser = argparse.ArgumentParser(
        prog="lab/run",
        description="Experiments with real packets in namespaces of this machine; needs root.",
        epilog=EXIT_HELP,
    )
    parser.add_argument("--list", action=_ListExperiments, nargs=0, help="list and exit")
    commands = parser.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for name, add in EXPERIMENTS.items():
        summary, add_options, function = add
        command = commands.add_parser(name, help=summary, description=summary, epilog=EXIT_HELP)
        add_options(command)
        command.set_defaults(run=function)
    return parser


class _ListExperiments(argparse.Action):
    """--list: one experiment a line."""

    def __call__(self, parser, namespace, values, option_string=None):
        for name, (summary, _, _) in EXPERIMENTS.items():
            print(f"{name:<18}{summary}")
        parser.exit()


def _output_options(command):
    command.add_argument("--json", metavar="FILE", help="write the result there")
    command.add_argument("--out", metavar="DIR", default="out", help="plots and details (out)")


def _endpoints_option(command):
    command.add_argument(
        "--endpoints",
        choices=ENDPOINT_SOURCES,
        default=STATIC,
        help="agents are told their endpoints, or learn them from their bridge (static)",
    )


def _controller_options(command):
    group = command.add_argument_group(
        "controller",
        "looked for in this order: --onos, the environment's SLUICE_ONOS (same form), else the"
        " lab's own ONOS is started and stopped",
    )
    group.add_argument(
        "--onos", metavar="URL", help="a running ONOS, such as http://127.0.0.1:8181"
    )
    group.add_argument("--user", metavar="USER:PASSWORD", help="for its REST (onos:rocks)")
    group.add_argument(
        "--onos-ssh", metavar="HOST:PORT", help="its shell, to be shown to you (URL's host, 8101)"
    )
    group.add_argument(
        "--openflow", metavar="HOST:PORT", help="its OpenFlow port (URL's host, 6653)"
    )
    group.add_argument(
        "--installed", action="store_true", help="Sluice is installed there: leave it so"
    )
    group.add_argument("--oar", metavar="FILE", default=str(OAR), help="the application to install")


def _dumbbell_options(command):
    _output_options(command)
    _controller_options(command)
    _endpoints_option(command)
    command.add_argument(
        "--manual-rates", action="store_true", help="no controller: rates set by hand at the agents"
    )
    command.add_argument("--cc", choices=CONGESTION_CONTROLS, default="cubic", help="TCP's (cubic)")
    command.add_argument(
        "--ip", type=int, choices=(4, 6), default=4, help="version that the traffic uses (4)"
    )
    command.add_argument("--law", choices=LAWS, default="sluice", help="control law (sluice)")
    signals.add_options(command, with_all=True)
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


def _run_dumbbell(options):
    return manual_rates.run(options) if options.manual_rates else dumbbell.run(options)


def _mbps(text):
    """A capacity in Mbit/s from 5 (where a packet takes half of the host loop's period) up."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 5 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a capacity of 5 to 1000 Mbit/s")
    return value


def _two_mbps(text):
    """Two capacities, such as 50,30."""
    values = tuple(_mbps(part) for part in text.split(","))
    if len(values) != 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not two capacities, such as 50,30")
    return values


def _sharing_options(command):
    _output_options(command)
    _controller_options(command)
    _endpoints_option(command)
    command.add_argument("--cc", choices=CONGESTION_CONTROLS, default="cubic", help="TCP's (cubic)")
    command.add_argument("--law", choices=LAWS, default="sluice", help="control law (sluice)")
    signals.add_options(command)


def _parking_lot_options(command):
    _sharing_options(command)
    command.add_argument(
        "--capacities",
        metavar="MBPS,MBPS",
        type=_two_mbps,
        default=(25.0, 25.0),
        help="of the first and the second wire (25,25)",
    )


def _four_delays(text):
    """Four delays in milliseconds, such as 0.5,2,5,10."""
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != len(SENDERS) or not all(0 <= value <= 200 for value in values):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not {len(SENDERS)} delays of 0 to 200 ms, such as 0.5,2,5,10"
        )
    return values


def _asymmetric_rtts_options(command):
    _sharing_options(command)
    command.add_argument(
        "--delays",
        metavar="MS,MS,MS,MS",
        type=_four_delays,
        default=(0.5, 2.0, 5.0, 10.0),
        help="how late each sender gets acknowledgements and all that comes to it (0.5,2,5,10)",
    )
    command.add_argument(
        "--capacity", metavar="MBPS", type=_mbps, default=40.0, help="of the wire (40)"
    )


def _leaf_spine_options(command):
    _sharing_options(command)
    command.add_argument(
        "--capacity",
        metavar="MBPS",
        type=_mbps,
        default=12.0,
        help="of every wire from a leaf to a spine (12)",
    )
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
        help="what leaves spread over the spines: flows, by their own hash, or destinations, as"
        " Sluice says (destinations where each sender has two, else flows)",
    )


def _own_onos_options(command):
    """For experiments that use the lab's ONOS alone; --onos is refused with the reason."""
    _output_options(command)
    _endpoints_option(command)
    command.add_argument("--onos", help=argparse.SUPPRESS)
    command.add_argument(
        "--oar", metavar="FILE", default=str(OAR), help="the application to install"
    )


def _forwarding_options(command):
    _own_onos_options(command)
    command.add_argument(
        "--topology",
        choices=(DUMBBELL.name, LEAF_SPINE.name),
        default=DUMBBELL.name,
        help="dumbbell: ONOS gone and back; leaf-spine: several paths, one of them lost (dumbbell)",
    )


def _samples(text):
    """How many first marks, from 20 to 2000."""
    if not text.isdigit() or not 20 <= int(text) <= 2000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 20 to 2000")
    return int(text)


def _mark_to_rate_options(command):
    _output_options(command)
    _controller_options(command)
    _endpoints_option(command)
    command.add_argument("--cc", choices=CONGESTION_CONTROLS, default="cubic", help="TCP's (cubic)")
    command.add_argument("--law", choices=LAWS, default="sluice", help="control law (sluice)")
    command.add_argument("--samples", type=_samples, default=200, help="per path (200)")
    signals.add_options(command, with_all=True)


def _repetitions(text):
    """How often: every repetition needs ports of its own, of which there are so many."""
    if not text.isdigit() or not 1 <= int(text) <= deadlines.MOST_REPETITIONS:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number from 1 to {deadlines.MOST_REPETITIONS}"
        )
    return int(text)


def _deadlines_options(command):
    _output_options(command)
    _controller_options(command)
    _endpoints_option(command)
    command.add_argument(
        "--cc",
        choices=(*deadlines.CONGESTION_CONTROLS, deadlines.ALL),
        default=deadlines.ALL,
        help="TCP's; all: one after the other (all)",
    )
    command.add_argument(
        "--repetitions", type=_repetitions, default=5, help="with and without Sluice (5)"
    )
    switch_observations.add_option(command)
    signals.add_options(command)


def _faults_options(command):
    _own_onos_options(command)
    faults.add_options(command)


def _soak_options(command):
    _output_options(command)
    command.add_argument("--onos", help=argparse.SUPPRESS)
    command.add_argument(
        "--oar", metavar="FILE", default=str(OAR), help="the application to install"
    )
    command.add_argument(
        "--minutes", type=_minutes, default=20, help=f"at least {soak.LEAST_MINUTES} (20)"
    )
    command.add_argument("--seed", type=int, default=1, help="of what happens when (1)")


def _minutes(text):
    minutes = float(text)
    if minutes < soak.LEAST_MINUTES:
        raise argparse.ArgumentTypeError(
            f"{text} minutes are too few for three lives of the controller:"
            f" give {soak.LEAST_MINUTES} or more"
        )
    return minutes


def _topology_options(command):
    command.add_argument("--topology", choices=PLANS, default=DUMBBELL.name, help="(dumbbell)")
    command.add_argument("--keep", action="store_true", help="leave it up and return")
    command.add_argument(
        "--controller",
        metavar="HOST:PORT",
        action="append",
        default=[],
        help="OpenFlow controller of all switches; may be repeated; none: static forwarding",
    )
    command.add_argument(
        "--agent-link",
        metavar="HOST:PORT",
        action="append",
        default=[],
        help="controller of the agents; may be repeated; none: agents by themselves",
    )
    command.add_argument("--no-agents", action="store_true", help="plain wire, no agents")


def _cleanup_options(command):
    command.add_argument("run_ids", metavar="ID", nargs="*", help="these; none: all dead owners'")
    command.add_argument("--kept", action="store_true", help="also those left up with --keep")


EXPERIMENTS = {
    "dumbbell": (
        "one TCP against three UDP floods over one bottleneck",
        _dumbbell_options,
        _run_dumbbell,
    ),
    "forwarding": (
        "Sluice's own forwarding with ONOS there, gone, back, and uninstalled",
        _forwarding_options,
        controller_absence.run,
    ),
    "other-forwarding": (
        "Sluice beside somebody else's forwarding: no rule, no meter, and the loop works",
        _own_onos_options,
        other_forwarding.run,
    ),
    "parking-lot": (
        "two bottlenecks in a row: weighted max-min shares of long and cross traffic",
        _parking_lot_options,
        parking_lot.run,
    ),
    "leaf-spine": (
        "two spines, streams placed by ECMP: weighted max-min shares for that placement",
        _leaf_spine_options,
        leaf_spine.run,
    ),
    "asymmetric-rtts": (
        "senders near and far over one bottleneck: shares by weight, whatever the round trip",
        _asymmetric_rtts_options,
        asymmetric_rtts.run,
    ),
    "deadlines": (
        "five flows with deadlines beside an endless one: met with Sluice, missed without",
        _deadlines_options,
        deadlines.run,
    ),
    "mark-to-rate": (
        "from the first mark to the sender's changed rate, for every path of signals",
        _mark_to_rate_options,
        mark_to_rate.run,
    ),
    "rate-error": (
        "how well the shim keeps a rate from 1 Mbit/s to 1 Gbit/s, and what it costs there",
        _output_options,
        rate_error.run,
    ),
    "faults": (faults.SUMMARY, _faults_options, faults.run),
    "soak": (
        "endpoints, weights, agents and the controller come and go; nothing may pile up",
        _soak_options,
        soak.run,
    ),
    "topology": ("a network alone, to try things in", _topology_options, topology.run),
    "runs": ("list the runs that are still there", lambda command: None, housekeeping.list_runs),
    "cleanup": ("remove runs that are still there", _cleanup_options, housekeeping.cleanup),
}
