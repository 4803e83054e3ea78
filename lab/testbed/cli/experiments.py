# SPDX-License-Identifier: Apache-2.0
"""Every experiment of `lab/run`: its summary, its options, and the function that runs it."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from testbed.cli import housekeeping, options, values
from testbed.control.laws import HYGENICC
from testbed.experiments import topology
from testbed.experiments.compare import experiment as compare
from testbed.experiments.compare import systems as compare_systems
from testbed.experiments.controller_loss import experiment as controller_loss
from testbed.experiments.dadctcp import experiment as dadctcp
from testbed.experiments.deadlines import experiment as deadlines
from testbed.experiments.deadlines import switch_observations
from testbed.experiments.dumbbell import experiment as dumbbell
from testbed.experiments.dumbbell import hygenicc, manual_rates
from testbed.experiments.faults import catalogue
from testbed.experiments.faults import experiment as faults
from testbed.experiments.forwarding import controller_absence, multipath, other_forwarding
from testbed.experiments.hostile import attacks
from testbed.experiments.hostile import experiment as hostile
from testbed.experiments.incast import experiment as incast
from testbed.experiments.incast import turns as incast_turns
from testbed.experiments.microflow import experiment as microflow
from testbed.experiments.microflow import turns as microflow_turns
from testbed.experiments.opentcp import experiment as opentcp
from testbed.experiments.opentcp import loads as opentcp_loads
from testbed.experiments.opentcp import turns as opentcp_turns
from testbed.experiments.page import experiment as page
from testbed.experiments.rates import mark_to_rate, rate_error
from testbed.experiments.sharing import asymmetric_rtts, leaf_spine, parking_lot
from testbed.experiments.short_flows import experiment as short_flows
from testbed.experiments.soak import experiment as soak
from testbed.experiments.tenants import experiment as tenants
from testbed.network.plan import DUMBBELL, LEAF_SPINE, PLANS
from testbed.traffic.generators import CONGESTION_CONTROLS


@dataclass(frozen=True)
class Experiment:
    """run(options) returns the exit status; add_options(parser) declares the options."""

    summary: str
    add_options: Callable
    run: Callable


def _dumbbell_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    command.add_argument(
        "--manual-rates", action="store_true", help="no controller: rates set by hand at the agents"
    )
    options.congestion_control(command)
    command.add_argument(
        "--ip", type=int, choices=(4, 6), default=4, help="IP version of the traffic (4)"
    )
    options.law(command, with_hygenicc=True)
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
    options.signal_choices(command, with_all=True)
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


def _run_dumbbell(chosen):
    if chosen.manual_rates:
        return manual_rates.run(chosen)
    return hygenicc.run(chosen) if chosen.law == HYGENICC else dumbbell.run(chosen)


def _own_controller_options(command):
    options.output(command)
    options.endpoints(command)
    options.own_controller(command)


def _controller_loss_options(command):
    _own_controller_options(command)
    options.congestion_control(command)


def _forwarding_options(command):
    _own_controller_options(command)
    command.add_argument(
        "--topology",
        choices=(DUMBBELL.name, LEAF_SPINE.name),
        default=DUMBBELL.name,
        help="dumbbell: ONOS stopped and started; leaf-spine: several paths, one of them lost"
        " (dumbbell)",
    )


def _run_forwarding(chosen):
    is_leaf_spine = chosen.topology == LEAF_SPINE.name
    return multipath.run(chosen) if is_leaf_spine else controller_absence.run(chosen)


def _sharing_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    options.congestion_control(command)
    options.law(command)
    options.signal_choices(command)


def _parking_lot_options(command):
    _sharing_options(command)
    command.add_argument(
        "--capacities",
        metavar="MBPS,MBPS",
        type=values.two_mbps,
        default=(25.0, 25.0),
        help="of the first and the second wire (25,25)",
    )


def _leaf_spine_options(command):
    _sharing_options(command)
    command.add_argument(
        "--capacity",
        metavar="MBPS",
        type=values.mbps,
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
        help="what leaves spread over the spines: flows, by the switches' hash, or destinations, by"
        " Sluice's choice (destinations where each sender has two, else flows)",
    )


def _asymmetric_rtts_options(command):
    _sharing_options(command)
    command.add_argument(
        "--delays",
        metavar="MS,MS,MS,MS",
        type=values.delays,
        default=(0.5, 2.0, 5.0, 10.0),
        help="delay of acknowledgements and all other packets to each sender (0.5,2,5,10)",
    )
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=40.0, help="of the wire (40)"
    )


def _tenants_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    options.congestion_control(command)
    options.signal_choices(command)
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=40.0, help="of the wire (40)"
    )
    command.add_argument(
        "--only", metavar="PHASE", action="append", default=[], help="this phase; may be repeated"
    )


def _deadlines_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    command.add_argument(
        "--cc",
        choices=(*CONGESTION_CONTROLS, deadlines.ALL),
        default=deadlines.ALL,
        help="TCP's; all: one after the other (all)",
    )
    command.add_argument(
        "--repetitions", type=values.repetitions, default=5, help="with and without Sluice (5)"
    )
    command.add_argument(
        "--flows",
        choices=(switch_observations.HOST, switch_observations.SWITCH),
        default=switch_observations.HOST,
        help="what reports that a registered flow's connection begins or ends (host)",
    )
    options.signal_choices(command)


def _incast_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    command.add_argument(
        "--cc", choices=CONGESTION_CONTROLS, default="reno", help="TCP's, but for dctcp (reno)"
    )
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=25.0, help="of the wire (25)"
    )
    command.add_argument(
        "--buffer",
        metavar="N",
        type=values.buffer_packets,
        default=20,
        help="packets that the wire's queue has room for (20)",
    )
    command.add_argument(
        "--senders",
        metavar="N,N",
        type=values.senders,
        default=(5, 20, 40, 60),
        help="connections at once, one number after the other (5,20,40,60)",
    )
    command.add_argument(
        "--sack", choices=tuple(incast.SACK), default="both", help="without SACK, with it (both)"
    )
    command.add_argument(
        "--turns",
        metavar="NAME,NAME",
        type=values.incast_turns_of,
        help=f"of {', '.join(mode.name for mode in incast_turns.MODES)} (all)",
    )
    command.add_argument(
        "--repetitions", type=values.repetitions, default=1, help="of all turns (1)"
    )


def _dadctcp_options(command):
    options.output(command)
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=50.0, help="of the queue (50)"
    )
    command.add_argument(
        "--flows",
        metavar="N,N",
        type=values.flows,
        default=(1, 4, 16),
        help="endless connections at once, one number after the other (1,4,16)",
    )
    command.add_argument(
        "--k1",
        metavar="N",
        type=values.slope_packets,
        help="above how many packets DA-DCTCP's queue marks while it grows (three quarters of K,"
        " above which DCTCP's marks: 6 at 50 Mbit/s)",
    )
    command.add_argument(
        "--k2",
        metavar="N",
        type=values.slope_packets,
        help="from how many packets on it always marks (K + 1, as DCTCP's: 9 at 50 Mbit/s)",
    )
    command.add_argument(
        "--repetitions", type=values.repetitions, default=3, help="of all turns, 75 s each (3)"
    )


def _compare_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    options.congestion_control(command)
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=50.0, help="of the wire (50)"
    )
    command.add_argument(
        "--systems",
        metavar="NAME,NAME",
        type=values.systems,
        help=f"of {', '.join(compare_systems.NAMES)} (all)",
    )


def _short_flows_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    options.congestion_control(command)
    options.signal_choices(command)
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=20.0, help="of the wire (20)"
    )
    command.add_argument(
        "--repetitions", type=values.repetitions, default=3, help="of all turns (3)"
    )


def _opentcp_options(command):
    _own_controller_options(command)
    options.congestion_control(command)
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=50.0, help="of the wire (50)"
    )
    command.add_argument(
        "--buffer",
        metavar="N",
        type=values.buffer_packets,
        default=64,
        help="packets that the wire's queue has room for (64)",
    )
    command.add_argument(
        "--rtt",
        metavar="MS",
        type=values.rtt,
        default=10.0,
        help="round trip of flows that go far (10)",
    )
    command.add_argument(
        "--cycle",
        metavar="S",
        type=values.cycle_seconds,
        default=2,
        help="how often policies are evaluated (2)",
    )
    command.add_argument(
        "--loads",
        metavar="NAME,NAME",
        type=values.opentcp_loads_of,
        default=tuple(load.name for load in opentcp_loads.DEFAULT_LOADS),
        help=f"of {', '.join(load.name for load in opentcp_loads.LOADS)} (far,incast)",
    )
    command.add_argument(
        "--turns",
        metavar="NAME,NAME",
        type=values.opentcp_turns_of,
        help=f"of {', '.join(mode.name for mode in opentcp_turns.MODES)} (all)",
    )
    command.add_argument(
        "--repetitions", type=values.repetitions, default=3, help="of all turns (3)"
    )
    command.add_argument(
        "--reversions",
        type=values.reversions,
        default=5,
        help="how often each cause for hints to end is measured; 0: not at all (5)",
    )


def _microflow_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    options.congestion_control(command)
    options.signal_choices(command)
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=25.0, help="of both wires (25)"
    )
    command.add_argument(
        "--repetitions", type=values.repetitions, default=3, help="of all turns (3)"
    )
    command.add_argument(
        "--turns",
        metavar="NAME,NAME",
        type=values.turns,
        help=f"these, beside the first, of {', '.join(mode.name for mode in microflow_turns.MODES)}"
        " (all that the controller has)",
    )
    command.add_argument(
        "--enforcers",
        choices=microflow.ENFORCERS,
        default=microflow.AGENTS,
        help="what holds long flows to caps: queues of port agents, or meters of switches, as the"
        " first wire's port agent has no session then (agents)",
    )
    command.add_argument(
        "--background",
        metavar="N",
        type=values.connections,
        default=4,
        help="endless connections, half of them over both wires (4)",
    )
    command.add_argument(
        "--requests",
        metavar="N",
        type=values.per_second,
        default=10,
        help="pages a second that each of two generators asks each of two servers for (10)",
    )
    command.add_argument(
        "--at-once",
        metavar="N",
        type=values.at_once,
        default=1,
        help="of these pages so many are asked for at the same instant (1)",
    )
    command.add_argument(
        "--page-bytes", metavar="N", type=values.page_bytes, default=10_000, help="(10000)"
    )


def _mark_to_rate_options(command):
    options.output(command)
    options.controller(command)
    options.endpoints(command)
    options.congestion_control(command)
    options.law(command)
    command.add_argument("--samples", type=values.samples, default=200, help="per path (200)")
    options.signal_choices(command, with_all=True)


def _faults_options(command):
    _own_controller_options(command)
    command.add_argument("--list", action=_ListFaults, nargs=0, help="list the faults and exit")
    command.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="this fault; may be repeated"
    )
    command.add_argument(
        "--page",
        action=argparse.BooleanOptionalAction,
        help="look at the operator's page in Chromium meanwhile (if it is installed)",
    )


class _ListFaults(argparse.Action):
    """--list: one fault a line."""

    def __call__(self, parser, namespace, given, option_string=None):
        for fault in catalogue.FAULTS:
            print(f"{fault.name:<20}{fault.summary}")
        parser.exit()


def _hostile_options(command):
    _own_controller_options(command)
    options.congestion_control(command)
    command.add_argument("--list", action=_ListAttacks, nargs=0, help="list the attacks and exit")
    command.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="this attack; may be repeated"
    )
    command.add_argument(
        "--capacity", metavar="MBPS", type=values.mbps, default=20.0, help="of the wire (20)"
    )
    command.add_argument("--seed", type=int, default=1, help="of the frames (1)")


class _ListAttacks(argparse.Action):
    """--list: one attack a line."""

    def __call__(self, parser, namespace, given, option_string=None):
        for attack in attacks.ATTACKS:
            print(f"{attack.name:<26}{attack.summary}")
        parser.exit()


def _soak_options(command):
    options.output(command)
    options.own_controller(command)
    command.add_argument(
        "--minutes", type=values.minutes, default=20, help=f"at least {soak.LEAST_MINUTES} (20)"
    )
    command.add_argument("--seed", type=int, default=1, help="of the random events (1)")


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
        help="controller of the agents; may be repeated; none: agents without a controller",
    )
    command.add_argument("--no-agents", action="store_true", help="plain wire, no agents")


def _cleanup_options(command):
    command.add_argument(
        "run_ids", metavar="ID", nargs="*", help="these; none: all whose owner has ended"
    )
    command.add_argument("--kept", action="store_true", help="also those left up with --keep")


def _page_options(command):
    options.output(command)
    options.own_controller(command)
    options.endpoints(command)
    command.add_argument(
        "--tour",
        action="store_true",
        help="slowly, without the checks that nobody sees, and with an animation in --out",
    )


EXPERIMENTS = {
    "dumbbell": Experiment(
        "one TCP against three UDP floods over one bottleneck",
        _dumbbell_options,
        _run_dumbbell,
    ),
    "forwarding": Experiment(
        "Sluice's own forwarding with ONOS, without it, after its return, and uninstalled",
        _forwarding_options,
        _run_forwarding,
    ),
    "other-forwarding": Experiment(
        "Sluice beside another application's forwarding: no rule, no meter, and control works",
        _own_controller_options,
        other_forwarding.run,
    ),
    "parking-lot": Experiment(
        "two bottlenecks in a row: weighted max-min shares of long and cross traffic",
        _parking_lot_options,
        parking_lot.run,
    ),
    "leaf-spine": Experiment(
        "two spines, streams placed by ECMP: weighted max-min shares for that placement",
        _leaf_spine_options,
        leaf_spine.run,
    ),
    "asymmetric-rtts": Experiment(
        "senders near and far over one bottleneck: shares by weight for any round-trip time",
        _asymmetric_rtts_options,
        asymmetric_rtts.run,
    ),
    "tenants": Experiment(
        "tenants with one endpoint and with several: shares, idle and light ones, guarantees",
        _tenants_options,
        tenants.run,
    ),
    "deadlines": Experiment(
        "five flows with deadlines beside an endless one: met with Sluice, missed without",
        _deadlines_options,
        deadlines.run,
    ),
    "incast": Experiment(
        "5 to 60 transfers with deadlines at once: timeouts, misses, losses answered by RSED",
        _incast_options,
        incast.run,
    ),
    "dadctcp": Experiment(
        "cubic, BBR, DCTCP and DA-DCTCP through one queue: goodput, round trips, losses, fairness",
        _dadctcp_options,
        dadctcp.run,
    ),
    "compare": Experiment(
        "all systems that run on real packets, in turns on one dumbbell: one table",
        _compare_options,
        compare.run,
    ),
    "short-flows": Experiment(
        "short requests beside greedy TCP: without Sluice, with its law, with levels as well",
        _short_flows_options,
        short_flows.run,
    ),
    "opentcp": Experiment(
        "short flows with hosts' defaults and with OpenTCP's hints, and how soon hints end",
        _opentcp_options,
        opentcp.run,
    ),
    "microflow": Experiment(
        "pages of nginx beside endless TCP over three switches, without Sluice and with Micro-flow",
        _microflow_options,
        microflow.run,
    ),
    "mark-to-rate": Experiment(
        "from the first mark to the sender's changed rate, for every path of signals",
        _mark_to_rate_options,
        mark_to_rate.run,
    ),
    "rate-error": Experiment(
        "error of the shim's limits from 1 Mbit/s to 1 Gbit/s, and their cost at 1 Gbit/s",
        options.output,
        rate_error.run,
    ),
    "faults": Experiment(
        "failures of agents, ONOS, switches, clocks, tenants in one shared network",
        _faults_options,
        faults.run,
    ),
    "controller-loss": Experiment(
        "shares while the controller is dead for 20 s and after its return, by law",
        _controller_loss_options,
        controller_loss.run,
    ),
    "hostile": Experiment(
        "attacks of virtual machines: their victims keep nine tenths of their shares",
        _hostile_options,
        hostile.run,
    ),
    "soak": Experiment(
        "endpoints, weights, agents and the controller come and go; nothing may accumulate",
        _soak_options,
        soak.run,
    ),
    "page": Experiment(
        "the operator's page in Chromium: a flood, its culprits, why, what can be changed",
        _page_options,
        page.run,
    ),
    "topology": Experiment(
        "a network without an experiment, for trials", _topology_options, topology.run
    ),
    "runs": Experiment("list existing runs", lambda command: None, housekeeping.list_runs),
    "cleanup": Experiment("remove existing runs", _cleanup_options, housekeeping.cleanup),
}
