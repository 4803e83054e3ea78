# SPDX-License-Identifier: Apache-2.0
"""Running attacks one after the other, and measuring their victims."""

import time

from testbed.control import agents, tenancy
from testbed.experiments.hostile.attacks import (
    ACCOMPLICE,
    ATTACKERS,
    BEFORE_SECONDS,
    BEFORE_SETTLING_SECONDS,
    CLAIMED_ADDRESS,
    CLAIMED_NETWORK,
    FRESH_SETTLING_SECONDS,
    NEAR,
    OTHER_RECEIVER,
    RECEIVER,
    VICTIMS,
)
from testbed.experiments.hostile.lying_host import Scene
from testbed.experiments.hostile.results import AttackResult, VictimResult
from testbed.measure import bottleneck_queue
from testbed.measure.quantiles import quantile
from testbed.measure.series import CumulativeSeries, SummedSeries
from testbed.measure.shares import PAYLOAD_FRACTION
from testbed.network import addresses
from testbed.programs import clock
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.traffic.generators import FRESH_TCP_PORTS, wait_until_reached

# All programs must be ready when a phase begins; each takes its time to start.
LEAD_NANOS, LEAD_PER_PROGRAM_NANOS = 1_000_000_000, 150_000_000
VICTIMS_PROGRAMS = 3 * len(VICTIMS) + 1
RECOVERY_SECONDS = 60
IN_FORCE_SECONDS = 20
PROBE_MILLIS = 5.0  # between two requests
LOST_MILLIS = 1000.0  # a request without an answer counts as so late
# The doctor's finding about a forged link.
NOT_COUNTED = "The link is ignored"


class AttackRunner:
    """Runs attacks on one Traffic."""

    def __init__(self, deployment, traffic, congestion_control, seed):
        self.deployment = deployment
        self.traffic = traffic
        self.congestion_control = congestion_control
        self.seed = seed
        self.results = []
        self._ports = iter(FRESH_TCP_PORTS)

    def prepare(self):
        """Give all attackers to one tenant: the victims' shares do not depend on their number."""
        sluice = self.deployment.sluice
        for name in ATTACKERS:
            sluice.delete_tenant(tenancy.tenant_of(name))
        own = tenancy.tenant_of(ATTACKERS[0])
        sluice.put_tenant(own, tenancy.tenant_with(ATTACKERS))
        self._wait_for_tenants(dict.fromkeys(ATTACKERS, own))

    def run(self, attack):
        """Make one attack and keep its result."""
        deployment = self.deployment
        deployment.progress.log(f"{attack.name}: {attack.summary}")
        if attack.claims:
            self._let_addresses_be_claimed()
        rules_before = self._rules()
        port = next(self._ports)
        counter = self.traffic.count_attacks(NEAR)
        programs = VICTIMS_PROGRAMS + max(attack.senders, 2)
        begin = time.monotonic_ns() + LEAD_NANOS + programs * LEAD_PER_PROGRAM_NANOS
        attacked = begin + int(BEFORE_SECONDS * 1e9)
        fresh = attacked + int(attack.fresh_after_seconds * 1e9)
        end = begin + int(attack.phase_seconds * 1e9)
        jobs = self._start(attack, port, begin, attacked, fresh, end)
        if time.monotonic_ns() > begin:
            raise LabError(f"the programs of {attack.name} took too long to start")
        clock.sleep_until(attacked)
        cpu_before = processors.cpu_times()
        queue_before = deployment.port_agent.status()
        denied = attack.lie(Scene(deployment, attack.name, end)) if attack.lie else []
        clock.sleep_until(end)
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
        queue = bottleneck_queue.between(queue_before, deployment.port_agent.status())
        misattributed = self._misattributed()
        findings = deployment.sluice.doctor()
        false_links = self._false_links(findings)
        recovery = self._recovery_seconds(end)
        counter.interrupt()
        arrived = sum(counter.report().values())
        reports = {name: [job.report() for job in started] for name, started in jobs.items()}
        windows = (
            (begin + int(BEFORE_SETTLING_SECONDS * 1e9), attacked),
            (fresh + int(FRESH_SETTLING_SECONDS * 1e9), end),
        )
        self.results.append(
            AttackResult(
                attack,
                victims=[self._victim(each, port, reports, windows) for each in VICTIMS],
                cpu=cpu,
                offered=self._offered(attack, reports["attack"]),
                arrived=arrived,
                misattributed=misattributed,
                denied=denied,
                false_links=false_links,
                recovery_seconds=recovery,
                queue=queue,
                details={
                    "attackers": reports["attack"],
                    "rulesBefore": rules_before,
                    "rulesAfter": self._rules(),
                    "doctor": findings,
                    "endpoints": self._status(),
                },
            )
        )
        deployment.progress.log(f"  {_in_words(self.results[-1])}")
        if attack.claims:
            self._list_addresses_again()

    def _start(self, attack, port, begin, attacked, fresh, end):
        """{what: its programs}."""
        traffic = self.traffic
        second = addresses.endpoint(OTHER_RECEIVER).ip
        whole = {"start_nanos": begin, "stop_nanos": end}
        control = self.congestion_control
        jobs = {}
        for name in VICTIMS:
            jobs[name] = [
                traffic.probe(name, begin, end),
                traffic.tcp(name, port, control, **whole),
                traffic.tcp(
                    *(name, port, control), start_nanos=fresh, stop_nanos=end, address=second
                ),
            ]
        traffic.flood(
            *(ATTACKERS[0], self.deployment.bottleneck_mbps),
            address=addresses.endpoint(ACCOMPLICE).ip,
            **whole,
        )
        during = {"start_nanos": attacked, "stop_nanos": end}
        if attack.relays:
            ends = (ATTACKERS[0], ACCOMPLICE)
            jobs["attack"] = [
                traffic.relay_discovery(own, other, **during) for own, other in (ends, ends[::-1])
            ]
        elif attack.lie:
            jobs["attack"] = []
        else:
            rate = attack.rate_of_each(self.deployment.bottleneck_mbps, self._guests)
            jobs["attack"] = [
                traffic.attack(
                    *(host, attack.name, rate),
                    receiver=attack.receiver,
                    victim=NEAR,
                    claimed=CLAIMED_ADDRESS if attack.claims else "",
                    segments=attack.segments(self._guests),
                    seed=self.seed,
                    **during,
                )
                for host in attack.hosts
            ]
        return jobs

    def _victim(self, host, port, reports, windows):
        probe = reports[host][0]
        ip = addresses.endpoint(host).ip
        both = SummedSeries(
            self.traffic.flows(receiver).get(f"tcp/{ip}/{port}", CumulativeSeries([(0, 0)]))
            for receiver in (RECEIVER, OTHER_RECEIVER)
        )
        share = self.deployment.bottleneck_mbps / (len(VICTIMS) + 1)
        rates = [both.mbps(*window) / PAYLOAD_FRACTION["tcp"] / share for window in windows]
        sparse = [of_probe(probe, *window) for window in windows]
        return VictimResult(
            host,
            *rates,
            *(p99 for p99, _ in sparse),
            *(lost for _, lost in sparse),
        )

    def _offered(self, attack, reports):
        if not attack.has_frames:
            return None
        rate = attack.rate_of_each(self.deployment.bottleneck_mbps, self._guests)
        wanted = rate * attack.seconds
        return sum(report["frames"] for report in reports) / (wanted * len(reports))

    def _misattributed(self):
        """Attackers' endpoints that are the victims' tenants'."""
        victims = {tenancy.tenant_of(name) for name in VICTIMS}
        own = {addresses.endpoint(name).mac for name in VICTIMS}
        return [
            f"{each['id']} {' '.join(each['ips'])}: {each['tenant']}"
            for each in self.deployment.sluice.endpoints()
            if each["tenant"] in victims and each["mac"] not in own
        ]

    def _false_links(self, findings):
        """Links in ONOS's topology, counted by Sluice, without a cable."""
        network = self.deployment.network
        real = [tuple(map(network.port_id, link.ends)) for link in network.plan.links]
        false = set(self.deployment.controller.api.links()) - {*real, *(p[::-1] for p in real)}
        refused = {each["about"] for each in findings if NOT_COUNTED in each["what"]}
        return sum(refused.isdisjoint(ends) for ends in false)

    @property
    def _guests(self):
        return self.deployment.network.plan.guests

    def _rules(self):
        switches = self.deployment.network.switches.values()
        return {switch.name: len(switch.flows()) for switch in switches}

    def _status(self):
        """The endpoints of the host that is attacked from, as its agent sees them."""
        return self.deployment.host_agent_of(NEAR).status()["endpoints"]

    def _recovery_seconds(self, end):
        """Seconds from an instant until the receiver answers both victims; None: it does not."""
        target = addresses.endpoint(RECEIVER).ip
        try:
            for name in VICTIMS:
                machine = self.deployment.network.machines[name]
                wait_until_reached(machine, name, target, RECOVERY_SECONDS)
        except LabError:
            return None
        return (time.monotonic_ns() - end) / 1e9

    def _let_addresses_be_claimed(self):
        """Have the host learn addresses, and leave the attackers to no tenant of their own."""
        sluice = self.deployment.sluice
        document = tenancy.tenant_with([NEAR])
        document["members"].append({"ipPrefix": CLAIMED_NETWORK})
        sluice.put_tenant(tenancy.tenant_of(NEAR), document)
        sluice.delete_tenant(tenancy.tenant_of(ATTACKERS[0]))
        self._find_endpoints(agents.BRIDGE)
        self._wait_for_tenants({NEAR: tenancy.tenant_of(NEAR)})

    def _list_addresses_again(self):
        sluice = self.deployment.sluice
        sluice.put_tenant(tenancy.tenant_of(NEAR), tenancy.tenant_with([NEAR]))
        self._find_endpoints(self.deployment.options.endpoints)
        sluice.put_tenant(tenancy.tenant_of(ATTACKERS[0]), tenancy.tenant_with(ATTACKERS))

    def _find_endpoints(self, source):
        deployment = self.deployment
        agent = deployment.host_agent_of(NEAR)
        agent.stop()
        agent.reconfigure({"endpoints": agents.endpoints_of(deployment.network.plan, NEAR, source)})
        agent.start()
        deployment.wait_for_agents()
        deployment.wait_until_reachable(timeout_seconds=RECOVERY_SECONDS)
        deployment.wait_for_endpoints()

    def _wait_for_tenants(self, tenants):
        """Wait until these machines' endpoints are these tenants' ({machine: tenant})."""
        wanted = {(addresses.endpoint(name).ip, tenant) for name, tenant in tenants.items()}
        polling.until(
            lambda: (
                wanted
                <= {
                    (ip, each["tenant"])
                    for each in self.deployment.sluice.endpoints()
                    for ip in each["ips"]
                }
            ),
            "Sluice to have the endpoints as these tenants'",
            timeout_seconds=IN_FORCE_SECONDS,
        )


def of_probe(report, begin_nanos, end_nanos):
    """(p99 in milliseconds, lost share) of the requests of a window; a lost one is very late."""
    own = {at: millis for at, millis in report["samples"] if begin_nanos <= at < end_nanos}
    if not report["samples"]:
        return None, 1.0
    sent = round((end_nanos - begin_nanos) / 1e6 / PROBE_MILLIS)
    lost = max(0, sent - len(own))
    return quantile([*own.values(), *[LOST_MILLIS] * lost], 0.99), lost / sent


def _in_words(result):
    parts = ", ".join(
        f"{each.host} {each.before:.0%} -> {each.during:.0%}" for each in result.victims
    )
    return f"{parts}; {result.arrived} arrived beside it ({result.cpu})"
