# SPDX-License-Identifier: Apache-2.0
"""`lab/run microflow`: pages of web servers beside long flows, over three switches in a row.

At the first and at the second switch nginx and a sender of endless TCP each; behind the third those
who receive both, so that all of it leaves by the second switch's port, which the first one's feeds.
In turns: nothing enforced; Sluice's law; with levels; with Micro-flow's queues and caps, as printed
and Sluice's. Agents read their levels when they start, so all are started anew for every turn.
"""

import itertools
import time
from pathlib import Path

from testbed.control import agents
from testbed.control.sluice import COMPONENT
from testbed.deployment import signals, startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.microflow import report
from testbed.experiments.microflow.remains import Remains
from testbed.experiments.microflow.turns import (
    CAPS_PROPERTY,
    MODES,
    NO_CAPS,
    OWN,
    THRESHOLDS_PROPERTY,
    Requests,
    Turn,
    chosen_modes,
    h2load_requests,
)
from testbed.measure import bottleneck_queue, caps
from testbed.measure.request_times import request_times
from testbed.measure.series import CumulativeSeries
from testbed.network import addresses
from testbed.network.plan import MICRO_FLOW
from testbed.network.topology import VM_INTERFACE
from testbed.network.wire import LEFT
from testbed.options import common, values
from testbed.options.command import Command
from testbed.programs import clock
from testbed.report import documents
from testbed.system import polling, processors, requirements
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic
from testbed.traffic.web_server import WebServer

EXPERIMENT = "microflow"
COMMANDS = ("nginx", "h2load", "bpftool")
SERVING_HOSTS, BACKGROUND_HOSTS = ("h1", "h3"), ("h2", "h4")
ASKING_HOST, RECEIVING_HOST = "h5", "h6"
# What agents begin with until Sluice has seen enough flows end.
TUNED_LEVELS_OF_HOSTS = {"thresholdBytes": [16384, 65536, 1048576], "dscp": [32, 24, 16, 0]}
TUNED_LEVELS_OF_PORTS = {"dscp": TUNED_LEVELS_OF_HOSTS["dscp"]}
SET_UP_SECONDS, TEAR_DOWN_SECONDS, RESTART_SECONDS = 80, 25, 14
SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS = 4, 12, 2
ENFORCERS = AGENTS, METERS = "agents", "meters"
JOURNAL_ENTRIES, CAP_ENTRY = 1000, "cap"
LONGEST_TURN_SECONDS = 120  # programs that all turns share end at the latest after so much each
CAP_SAMPLE_MILLIS = 20
SECOND = 1_000_000_000


def add_options(command):
    """Declare the options."""
    common.deployment(command)
    common.congestion_control(command)
    common.signal_choices(command)
    common.capacity(command, 25, "both wires")
    common.repetitions(command, 3)
    common.names(
        *(command, "--turns", MODES),
        before="these, beside the first, of",
        shown="all that the controller has",
    )
    command.add_argument(
        "--enforcers",
        choices=ENFORCERS,
        default=AGENTS,
        help="what holds long flows to caps: queues of port agents, or meters of switches, as the"
        " first wire's port agent has no session then (agents)",
    )
    command.add_argument(
        "--background",
        metavar="N",
        # Two senders need one each.
        type=values.whole_number(2, 64),
        default=4,
        help="endless connections, half of them over both wires (4)",
    )
    command.add_argument(
        "--requests",
        metavar="N",
        # One generator's intervals are whole milliseconds.
        type=values.whole_number(1, 100),
        default=10,
        help="pages a second that each of two generators asks each of two servers for (10)",
    )
    command.add_argument(
        "--at-once",
        metavar="N",
        type=values.whole_number(1, 100),
        default=1,
        help="of these pages so many are asked for at the same instant (1)",
    )
    command.add_argument(
        "--page-bytes",
        metavar="N",
        type=values.whole_number(1, 10_000_000),
        default=10_000,
        help="(10000)",
    )


def run(options):
    """Run the experiment; returns the exit status."""
    if (options.enforcers, options.signals) == (METERS, signals.PORTS):
        raise LabError(
            "--signals ports gives every port agent a session, so that none is left for meters to"
            " stand in for: leave out one of --signals ports and --enforcers meters"
        )
    requirements.check(COMMANDS)
    given = startup.given_controller(options)
    progress = Progress(SET_UP_SECONDS + TEAR_DOWN_SECONDS)
    capacity = options.capacity
    plan = MICRO_FLOW.with_capacities([capacity] * len(MICRO_FLOW.wires))
    laboratory = Laboratory(EXPERIMENT, progress, plan)
    with laboratory:
        remains = Remains(laboratory.network)
        deployment, chosen = startup.deploy(
            *(laboratory, options, given, capacity),
            tau_micros=agents.tau_micros(capacity),
            before_install=remains.see_switches,
        )
        modes, left_out = chosen_modes(
            options.turns, deployment.controller.onos.properties(COMPONENT)
        )
        if left_out:
            progress.log(f"Sluice there has no caps: without the turns {', '.join(left_out)}")
        if options.signals != signals.PORTS:
            deployment.link_port_agents(_linked(laboratory.network, options.enforcers))
        startup.choose_signals(deployment, options)
        startup.wait_until_idle(progress)
        rounds = list(itertools.product(range(1, options.repetitions + 1), modes))
        turn_seconds = RESTART_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + ANSWER_SECONDS
        progress.expect(len(rounds) * turn_seconds + TEAR_DOWN_SECONDS)
        runner = _TurnRunner(deployment, options, len(rounds) * LONGEST_TURN_SECONDS)
        turns = [runner.run(mode, number) for number, mode in rounds]
        runner.end()
        laboratory.leftovers += remains.of(deployment)
    further = {
        "capacityMbps": capacity,
        "congestionControl": options.cc,
        "backgroundConnections": options.background,
        "pageBytes": options.page_bytes,
        "requestsPerSecond": options.requests,
        "requestsAtOnce": options.at_once,
        "enforcers": options.enforcers,
        "signals": options.signals,
        "notices": options.notices,
    }
    document = report.document(EXPERIMENT, chosen.version, turns, laboratory.leftovers, further)
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    title = (
        f"Pages of {options.page_bytes:,} bytes beside {options.background} endless {options.cc},"
        f" {capacity:g} Mbit/s"
    )
    report.draw(turns, title, plot)
    print(f"\n{report.table(turns)}\n\nplot:    {plot}\n")
    return documents.conclude(
        document, report.expected(turns), options.out, options.json, report.aims(turns)
    )


def _linked(network, enforcers):
    """The wires whose port agents have a session: with meters, all but what feeds the last one."""
    return network.plan.wires[-1:] if enforcers == METERS else None


class _TurnRunner:
    """Runs turns one after the other, each on a port of its own for the long flows."""

    def __init__(self, deployment, options, horizon_seconds):
        self.deployment = deployment
        self.options = options
        self.leftovers = deployment.laboratory.leftovers
        network = deployment.network
        self.network = network
        self.servers = {
            host: WebServer(network, host, options.page_bytes, options.cc) for host in SERVING_HOSTS
        }
        self.traffic = Traffic(
            network, receivers=(RECEIVING_HOST,), horizon_seconds=horizon_seconds
        )
        deployment.laboratory.cleanup.callback(self.end)
        for server in self.servers.values():
            server.start()
        self.traffic.start_measuring()
        self.ports = iter(FRESH_TCP_PORTS)

    def end(self):
        """End all programs and servers; may be called again."""
        self.traffic.end()
        for server in self.servers.values():
            self.leftovers += server.stop()

    def run(self, mode, number):
        """Run one turn; number: which round it belongs to."""
        progress = self.deployment.progress
        progress.log(f"round {number}, {mode.name}: {SETTLING_SECONDS + JUDGED_SECONDS} s")
        port = next(self.ports)
        self._configure(mode)
        machine_counters, wire_counters = self._count_dscps()
        journal_end = self.deployment.sluice.journal_end()
        begin = time.monotonic_ns()
        judged_from = begin + SETTLING_SECONDS * SECOND
        end = judged_from + JUDGED_SECONDS * SECOND
        stop = end + ANSWER_SECONDS * SECOND
        for host in itertools.islice(itertools.cycle(BACKGROUND_HOSTS), self.options.background):
            self.traffic.tcp(host, port, self.options.cc, start_nanos=begin, stop_nanos=stop)
        own, h2load = self._ask(number, judged_from, end, stop)
        has_caps = mode.caps != NO_CAPS
        samplers = self._sample_caps(stop) if has_caps else {}
        clock.sleep_until(judged_from)
        cpu_before, queues_before = processors.cpu_times(), self._port_status()
        clock.sleep_until(end)
        cpu_after, queues_after = processors.cpu_times(), self._port_status()
        controller = self._controllers_view(journal_end) if has_caps else {}
        answered = [
            Requests(OWN, host, *request_times(job.report(ANSWER_SECONDS + 10)["flows"], stop))
            for host, job in own.items()
        ]
        answered += [
            h2load_requests(job.report(ANSWER_SECONDS + 10), host, ANSWER_SECONDS * 1e3)
            for host, job in h2load.items()
        ]
        received = self.traffic.flows()
        turn = Turn(
            mode=mode,
            number=number,
            seconds=JUDGED_SECONDS,
            requests=answered,
            background_mbps={
                host: _series(received, host, port).mbps(judged_from, end)
                for host in BACKGROUND_HOSTS
            },
            queues={
                name: bottleneck_queue.between(queues_before[name], status)
                for name, status in queues_after.items()
            },
            levels={name: status.get("levels", []) for name, status in queues_after.items()},
            utilisation={
                link.name: self.traffic.link(link).mbps(judged_from, end) / link.capacity_mbps
                for link in self.network.wires
            },
            caps={
                link.name: caps.judge(_samples(*sampler), link.capacity_mbps)
                for link, sampler in samplers.items()
            },
            controller=controller,
            thresholds=self._thresholds() if mode.levels else {},
            machine_dscps=_counts(machine_counters),
            wire_dscps=_counts(wire_counters),
            cpu=processors.cpu_use(cpu_before, cpu_after),
        )
        progress.log(f"  {report.line(turn)}")
        return turn

    def _ask(self, number, begin, end, stop):
        """Start both generators against both servers; ({server's host: program}, the same)."""
        at_once = self.options.at_once
        per_second = self.options.requests / at_once
        every_millis = round(1e3 / per_second)
        requests = at_once * max(1, int(JUDGED_SECONDS * 1e3 / every_millis))
        own, h2load = {}, {}
        for place, (host, server) in enumerate(self.servers.items()):
            own[host] = self.traffic.web_requests(
                *(ASKING_HOST, server),
                per_second=per_second,
                at_once=at_once,
                # All modes get the same requests.
                seed=number * len(self.servers) + place,
                start_nanos=begin,
                begin_until_nanos=end,
                stop_nanos=stop,
            )
            h2load[host] = self.traffic.web_load(
                *(ASKING_HOST, server),
                every_millis=every_millis,
                at_once=at_once,
                requests=requests,
                # Not at the same instants.
                start_nanos=begin + place * every_millis * 1_000_000 // len(self.servers),
                stop_nanos=stop,
            )
        return own, h2load

    def _configure(self, mode):
        """Start all agents anew, with or without levels, and enforce or not."""
        deployment = self.deployment
        of_hosts, of_ports = agents.LEVELS_OF_HOSTS, agents.LEVELS_OF_PORTS
        if mode.tuned:
            of_hosts, of_ports = TUNED_LEVELS_OF_HOSTS, TUNED_LEVELS_OF_PORTS
        deployment.restart_agents(
            {"levels": of_hosts if mode.levels else None},
            {"levels": of_ports if mode.levels else None},
        )
        properties = {"enforcement": "on" if mode.enforced else "off"}
        wanted = {
            CAPS_PROPERTY: mode.caps,
            THRESHOLDS_PROPERTY: "tuned" if mode.tuned else "agents",
        }
        known = deployment.controller.onos.properties(COMPONENT)
        properties.update({name: value for name, value in wanted.items() if name in known})
        deployment.sluice.set(**properties)
        for server in self.servers.values():
            server.forget_paths()
            self._wait_for_page(server)

    def _wait_for_page(self, server):
        """Wait until a page arrives: from then on nobody has to look for a path."""

        def arrives():
            now = time.monotonic_ns()
            asked = self.traffic.web_load(
                *(ASKING_HOST, server),
                every_millis=1,
                requests=1,
                start_nanos=now,
                stop_nanos=now + ANSWER_SECONDS * SECOND,
            )
            return asked.report()["micros"]

        polling.until(arrives, f"a page of {server.url}", timeout_seconds=20)

    def _count_dscps(self):
        machines = {
            host: self.traffic.count_dscps(machine, VM_INTERFACE)
            for host, machine in self.network.machines.items()
        }
        wires = {
            link.name: self.traffic.count_dscps(wire, LEFT)
            for link, wire in self.network.wires.items()
        }
        return machines, wires

    def _sample_caps(self, stop):
        """{wire: (program, its file)}."""
        return {
            link: self.traffic.sample_caps(
                *(self.network.wires[link], agent.socket),
                every_millis=CAP_SAMPLE_MILLIS,
                stop_nanos=stop,
            )
            for link, agent in self.deployment.port_agents.items()
        }

    def _controllers_view(self, journal_end):
        """What Sluice shows now, and its journal's entries on caps since an earlier one."""
        sluice = self.deployment.sluice
        entries = sluice.journal(JOURNAL_ENTRIES, after=journal_end)
        return {
            "queues": sluice.queues(),
            "backgroundFlows": sluice.background_flows(),
            "caps": sluice.caps(),
            "meters": {
                name: switch.meter_bands() for name, switch in self.network.switches.items()
            },
            "journal": [entry for entry in entries if entry["kind"] == CAP_ENTRY],
        }

    def _thresholds(self):
        """{host: at what sizes flows leave its levels now, and whether Sluice says so}."""
        levels = {
            host: agent.status()["levels"] for host, agent in self.deployment.host_agents.items()
        }
        return {
            host: {key: its[key] for key in ("thresholdBytes", "decided")}
            for host, its in levels.items()
        }

    def _port_status(self):
        """{wire: its port agent's status}."""
        return {link.name: agent.status() for link, agent in self.deployment.port_agents.items()}


def _samples(job, series):
    job.wait()
    return caps.read(series)


def _counts(counters):
    for job in counters.values():
        job.interrupt()
    return {name: job.report() for name, job in counters.items()}


def _series(received, host, port):
    """What has arrived of a host's connections to a port."""
    return received.get(f"tcp/{addresses.endpoint(host).ip}/{port}", CumulativeSeries([(0, 0)]))


COMMAND = Command(
    EXPERIMENT,
    "pages of nginx beside endless TCP over three switches, without Sluice and with Micro-flow",
    add_options,
    run,
)
