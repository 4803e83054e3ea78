# SPDX-License-Identifier: Apache-2.0
"""Running one turn: pages and long flows, and what queues, caps and wires show of them."""

import itertools
import time

from testbed.control import agents
from testbed.control.sluice import COMPONENT
from testbed.experiments.microflow import report
from testbed.experiments.microflow.turns import (
    CAPS_PROPERTY,
    NO_CAPS,
    OWN,
    THRESHOLDS_PROPERTY,
    Requests,
    Turn,
    h2load_requests,
)
from testbed.measure import bottleneck_queue, caps
from testbed.measure.request_times import request_times
from testbed.network.topology import VM_INTERFACE
from testbed.network.wire import LEFT
from testbed.system import polling
from testbed.traffic.generators import FRESH_TCP_PORTS
from testbed.traffic.web_server import WebServer
from testbed.turns.runner import TurnRunner
from testbed.turns.timetable import SECOND, Timetable

SERVING_HOSTS, BACKGROUND_HOSTS = ("h1", "h3"), ("h2", "h4")
REQUESTING_HOST, RECEIVING_HOST = "h5", "h6"
# What agents begin with until Sluice has seen enough flows end.
TUNED_LEVELS_OF_HOSTS = {"thresholdBytes": [16384, 65536, 1048576], "dscp": [32, 24, 16, 0]}
TUNED_LEVELS_OF_PORTS = {"dscp": TUNED_LEVELS_OF_HOSTS["dscp"]}
RESTART_SECONDS, SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS = 14, 4, 12, 2
TURN_SECONDS = RESTART_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + ANSWER_SECONDS
JOURNAL_ENTRIES, CAP_ENTRY = 1000, "cap"
CAP_SAMPLE_MILLIS = 20


class MicroflowRunner(TurnRunner):
    """Runs turns one after the other, each on a port of its own for the long flows."""

    line = staticmethod(report.line)

    def __init__(self, deployment, options, horizon_seconds):
        network = deployment.network
        self.servers = {
            host: WebServer(network, host, options.page_bytes, options.cc) for host in SERVING_HOSTS
        }
        super().__init__(
            *(deployment.laboratory, deployment),
            receivers=(RECEIVING_HOST,),
            horizon_seconds=horizon_seconds,
        )
        self.options = options
        self.leftovers = deployment.laboratory.leftovers
        for server in self.servers.values():
            server.start()
        self.traffic.start_measuring()
        self.ports = iter(FRESH_TCP_PORTS)

    def end(self):
        """End all programs and servers; may be called again."""
        super().end()
        for server in self.servers.values():
            self.leftovers += server.stop()

    def run(self, number, mode):
        """Run one turn; number: which round it belongs to."""
        self.progress.log(f"round {number}, {mode.name}: {SETTLING_SECONDS + JUDGED_SECONDS} s")
        port = next(self.ports)
        self._configure(mode)
        machine_counters, wire_counters = self._count_dscps()
        journal_end = self.deployment.sluice.journal_end()
        at = Timetable.from_now(SETTLING_SECONDS, JUDGED_SECONDS, ANSWER_SECONDS)
        for host in itertools.islice(itertools.cycle(BACKGROUND_HOSTS), self.options.background):
            self.traffic.tcp(
                *(host, port, self.options.cc), start_nanos=at.begin, stop_nanos=at.stop
            )
        own, h2load = self._request_pages(number, at)
        has_caps = mode.caps != NO_CAPS
        samplers = self._sample_caps(at.stop) if has_caps else {}
        queues_before, queues_after, cpu = at.observe(self._port_status)
        controller = self._controllers_view(journal_end) if has_caps else {}
        answered = [
            Requests(OWN, host, *request_times(job.report(ANSWER_SECONDS + 10)["flows"], at.stop))
            for host, job in own.items()
        ]
        answered += [
            h2load_requests(job.report(ANSWER_SECONDS + 10), host, ANSWER_SECONDS * 1e3)
            for host, job in h2load.items()
        ]
        judged = at.judged_from, at.end
        return Turn(
            mode=mode,
            number=number,
            seconds=JUDGED_SECONDS,
            requests=answered,
            background_mbps={
                host: series.mbps(*judged)
                for host, series in self.received(BACKGROUND_HOSTS, port).items()
            },
            queues={
                name: bottleneck_queue.between(queues_before[name], status)
                for name, status in queues_after.items()
            },
            levels={name: status.get("levels", []) for name, status in queues_after.items()},
            utilisation={
                link.name: self.traffic.link(link).mbps(*judged) / link.capacity_mbps
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
            cpu=cpu,
        )

    def _request_pages(self, number, at):
        """Start both generators against both servers; ({server's host: program}, the same)."""
        at_once = self.options.at_once
        per_second = self.options.requests / at_once
        every_millis = round(1e3 / per_second)
        requests = at_once * max(1, int(JUDGED_SECONDS * 1e3 / every_millis))
        own, h2load = {}, {}
        for place, (host, server) in enumerate(self.servers.items()):
            own[host] = self.traffic.web_requests(
                *(REQUESTING_HOST, server),
                per_second=per_second,
                at_once=at_once,
                # All modes get the same requests.
                seed=number * len(self.servers) + place,
                start_nanos=at.judged_from,
                begin_until_nanos=at.end,
                stop_nanos=at.stop,
            )
            h2load[host] = self.traffic.web_load(
                *(REQUESTING_HOST, server),
                every_millis=every_millis,
                at_once=at_once,
                requests=requests,
                # Not at the same instants.
                start_nanos=at.judged_from + place * every_millis * 1_000_000 // len(self.servers),
                stop_nanos=at.stop,
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
        known = deployment.controller.api.properties(COMPONENT)
        properties.update({name: value for name, value in wanted.items() if name in known})
        deployment.sluice.set(**properties)
        for server in self.servers.values():
            server.forget_paths()
            self._wait_for_page(server)

    def _wait_for_page(self, server):
        """Wait until a page arrives: from then on paths are resolved."""

        def arrives():
            now = time.monotonic_ns()
            load = self.traffic.web_load(
                *(REQUESTING_HOST, server),
                every_millis=1,
                requests=1,
                start_nanos=now,
                stop_nanos=now + ANSWER_SECONDS * SECOND,
            )
            return load.report()["micros"]

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
