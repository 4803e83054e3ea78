# SPDX-License-Identifier: Apache-2.0
"""Options that several experiments have."""

import argparse
from dataclasses import replace

from testbed.control.agents import ENDPOINT_SOURCES, STATIC
from testbed.control.controller import ONOS, SDN_CONTROLLERS, STANDALONE
from testbed.control.laws import HYGENICC, LAWS, SLUICE
from testbed.deployment import signals
from testbed.network import taps
from testbed.network.plan import GUESTS, TAPS, VETH
from testbed.options import values
from testbed.system.errors import LabError
from testbed.traffic.generators import CONGESTION_CONTROLS


def output(command):
    """--json and --out."""
    command.add_argument("--json", metavar="FILE", help="write the result there")
    command.add_argument("--out", metavar="DIR", default="out", help="plots and details (out)")


def deployment(command, *, with_all=False, with_standalone=False):
    """The options of experiments with Sluice on any controller.

    with_all: also on each in turn; with_standalone: also without an SDN controller.
    """
    output(command)
    controller(command, with_all=with_all, with_standalone=with_standalone)
    endpoints(command)


def own_deployment(command):
    """The options of experiments with Sluice on a controller of the lab's only."""
    output(command)
    endpoints(command)
    own_controller(command)


def onos_deployment(command):
    """The options of experiments with Sluice on the lab's ONOS only."""
    output(command)
    endpoints(command)
    lab_onos(command)


def endpoints(command):
    """--endpoints."""
    command.add_argument(
        "--endpoints",
        choices=ENDPOINT_SOURCES,
        default=STATIC,
        help="agents get a configured list of endpoints, or learn them from their bridge (static)",
    )


def guests(command, usual=VETH):
    """--guests; usual: taps where the machine has them, or veth."""
    otherwise = "; veth where the machine has no such taps" if usual == TAPS else ""
    command.add_argument(
        "--guests",
        choices=GUESTS,
        help="virtual machines are on taps with virtio headers, as those of QEMU are, or on veth"
        f" pairs, which cost less ({usual}{otherwise})",
    )
    command.set_defaults(usual_guests=usual)


def with_guests(plan, options, progress):
    """The plan with machines that are connected as the user chooses; LabError if they cannot be."""
    kind = options.guests or options.usual_guests
    refusal = taps.refusal() if kind == TAPS else None
    if refusal:
        if options.guests:
            raise LabError(f"--guests taps: {refusal}")
        progress.log(f"machines are on veth pairs: {refusal}")
        kind = VETH
    return replace(plan, guests=kind)


def controller(command, *, with_all=False, with_standalone=False):
    """The options of experiments that run on any controller; see deployment()."""
    group = command.add_argument_group(
        "controller",
        "the first of: --onos, the environment variable SLUICE_ONOS (same form), and else the lab's"
        " own, which is started and stopped",
    )
    group.add_argument(
        "--onos",
        metavar="URL",
        help="a running ONOS, such as http://127.0.0.1:8181; several of a cluster with commas",
    )
    group.add_argument("--user", metavar="USER:PASSWORD", help="for its REST (onos:rocks)")
    group.add_argument(
        "--onos-ssh", metavar="HOST:PORT", help="its shell, to be printed (URL's host, 8101)"
    )
    group.add_argument(
        "--openflow", metavar="HOST:PORT", help="its OpenFlow port (URL's host, 6653)"
    )
    group.add_argument(
        "--installed", action="store_true", help="Sluice is installed there and stays installed"
    )
    _kind(group, with_all=with_all, with_standalone=with_standalone)
    _archive(group)


def own_controller(command):
    """The options of experiments with the lab's controllers; --onos is refused with the reason."""
    command.add_argument("--onos", help=argparse.SUPPRESS)
    _kind(command)
    _archive(command)


def lab_onos(command):
    """The options of experiments with the lab's ONOS only."""
    command.add_argument("--onos", help=argparse.SUPPRESS)
    command.set_defaults(controller=ONOS, line=None)
    _archive(command)


def _kind(command, *, with_all=False, with_standalone=False):
    standalone = (STANDALONE,) if with_standalone else ()
    standalone_help = "; standalone: sluiced, over plain bridges" if with_standalone else ""
    further = (signals.ALL,) if with_all else ()
    all_help = "; all: one after the other, side by side" if with_all else ""
    command.add_argument(
        "--controller",
        choices=(*SDN_CONTROLLERS, *standalone, *further),
        default=ONOS,
        help=f"kind of the lab's own ({ONOS}){standalone_help}{all_help}",
    )
    command.add_argument("--line", help="OpenDaylight's release line: see lab/odl/odl start --help")


def _archive(command):
    command.add_argument(
        *("--oar", "--kar"),
        dest="archive",
        metavar="FILE",
        help="the application to install (the one that is built here)",
    )


def congestion_control(command):
    """--cc."""
    command.add_argument("--cc", choices=CONGESTION_CONTROLS, default="cubic", help="TCP's (cubic)")


def capacity(command, default, of):
    """--capacity, of what `of` names."""
    command.add_argument(
        "--capacity",
        metavar="MBPS",
        type=values.mbps,
        default=float(default),
        help=f"of {of} ({default})",
    )


def number(command, option, bounds, default, what, metavar="N"):
    """An option that takes a whole number between bounds, both included."""
    shown = "" if default is None else f" ({default})"
    command.add_argument(
        option,
        metavar=metavar,
        type=values.whole_number(*bounds),
        default=default,
        help=f"{what}{shown}".strip(),
    )


def numbers(command, option, bounds, default, what):
    """An option that takes whole numbers between bounds, such as 1,4,16."""
    command.add_argument(
        option,
        metavar="N,N",
        type=values.whole_numbers(*bounds),
        default=default,
        help=f"{what} ({','.join(map(str, default))})",
    )


def buffer(command, default):
    """--buffer."""
    number(command, "--buffer", (5, 1000), default, "packets that the wire's queue has room for")


def repetitions(command, default, what="of all turns"):
    """--repetitions."""
    bounds = 1, values.MOST_REPETITIONS
    number(command, "--repetitions", bounds, default, what, metavar=None)


def names(command, option, named, default=None, before="of", shown="all"):
    """An option that takes names of what has a `name` each."""
    command.add_argument(
        option,
        metavar="NAME,NAME",
        type=values.names_of(named),
        default=default,
        help=f"{before} {', '.join(each.name for each in named)} ({shown})",
    )


def only(command, metavar, what):
    """--only."""
    command.add_argument(
        "--only", metavar=metavar, action="append", default=[], help=f"this {what}; may be repeated"
    )


class ListAndExit(argparse.Action):
    """--list: one a line of what has a name and a summary each."""

    def __init__(self, *arguments, listed, width, **further):
        super().__init__(*arguments, nargs=0, **further)
        self._listed = listed
        self._width = width

    def __call__(self, parser, namespace, given, option_string=None):
        for each in self._listed:
            print(f"{each.name:<{self._width}}{each.summary}")
        parser.exit()


def law(command, *, with_hygenicc=False):
    """--law; with_hygenicc: also what agents run without a controller."""
    further = (HYGENICC,) if with_hygenicc else ()
    command.add_argument(
        "--law", choices=(*LAWS, *further), default=SLUICE, help="control law (sluice)"
    )


def signal_choices(command, *, with_all=False):
    """--signals and --notices; with_all: also every combination, one after the other."""
    further = (signals.ALL,) if with_all else ()
    all_help = "; all: every one but auto, one after the other" if with_all else ""
    command.add_argument(
        "--signals",
        choices=(*signals.SOURCES, *further),
        default=signals.AUTO,
        help="where marks come from: receiving hosts' agents, meters at switches, port agents, or"
        f" the best that is available (auto){all_help}",
    )
    command.add_argument(
        "--notices",
        choices=(*signals.TRANSPORTS, *further),
        default=signals.LINK,
        help="how notices reach hosts: by the agent link or as packets (link)",
    )
