# SPDX-License-Identifier: Apache-2.0
"""One transport under one law: its phases, and what came of them."""

import time
from dataclasses import dataclass, field

from testbed.experiments.dumbbell.phases import FLOODING_HOSTS, TCP_HOST, Phase, PhaseRunner
from testbed.measure import mark_delays, notices
from testbed.network import addresses
from testbed.system import processors
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

WEIGHTS = {"h1": 2, "h2": 1, "h3": 1, "h4": 1}
QUIET_SECONDS = 3
PULSE_SECONDS = 10
PULSE_ON_MILLIS, PULSE_OFF_MILLIS = 250, 400
CALM_IDLE_SHARE, CALM_SECONDS = 0.6, 20


@dataclass(frozen=True)
class Course:
    """Phases in their order, over a bottleneck that each flood alone would fill.

    with_pulses: a quiet stretch before, and bursts afterwards that show how fast marks are
    answered.
    """

    bottleneck_mbps: float
    phases: tuple
    with_pulses: bool = False

    @property
    def seconds(self):
        """How long it takes, about."""
        beside = QUIET_SECONDS + PULSE_SECONDS if self.with_pulses else 0
        return sum(phase.seconds for phase in self.phases) + beside + 4


FULL = Course(
    50,
    (
        Phase("alone", 8, flooding=False),
        Phase("flooded", 8, flooding=True),
        Phase("controlled", 10, flooding=True),
        Phase("weighted", 10, flooding=True, weights=WEIGHTS),
        Phase("released", 8, flooding=False, weights=WEIGHTS),
    ),
    with_pulses=True,
)
# The direction alone, for any machine: packets are what a full course costs most, and here are 40 %
# fewer of them.
SHORT = Course(30, (Phase("flooded", 5, flooding=True), Phase("controlled", 7, flooding=True)))


@dataclass
class Case:
    """One congestion control under one law, and what came of it."""

    congestion_control: str
    law: str
    bottleneck_mbps: float
    results: list
    flows: dict
    delays: list
    unanswered: int
    quiet_probe: dict | None
    notices: dict = field(default_factory=dict)  # how many came which way
    detours: list = field(default_factory=list)  # why some did not go in band
    first_attempt: str | None = None  # why it had to be repeated

    @property
    def by_name(self):
        """{phase's name: result}."""
        return {result.name: result for result in self.results}


def wait_for_a_calm_machine(progress):
    """Give what has just been started some time to come to rest."""
    idle = processors.wait_until_calm(CALM_IDLE_SHARE, timeout_seconds=CALM_SECONDS)
    progress.say(f"idle CPU before traffic: {idle:.0%}")


def run_case(site, course, congestion_control, law, ip_version=4):
    """Run a course, over IPv4 or IPv6, on a site whose bottleneck it is made for."""
    site.progress.say(f"{congestion_control} under the law '{law}'")
    site.sluice.set(law=law, enforcement="off")
    for host in addresses.SENDERS:
        site.set_weight(host, 1)
    traffic = Traffic(site.network, f"{congestion_control}-{law}", ip_version)
    site.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    journal_before = site.sluice.journal_end()
    noticed_before = notices.counted(site.host_agents.values())
    runner = PhaseRunner(
        traffic, site.port_agent, course.bottleneck_mbps, congestion_control, site.progress
    )
    quiet_probe = runner.quiet_probe(QUIET_SECONDS) if course.with_pulses else None
    traffic.start_long_lived(TCP_HOST, congestion_control)
    floods = []

    def flood():
        floods.extend(
            traffic.flood(host, course.bottleneck_mbps, start_nanos=time.monotonic_ns())
            for host in FLOODING_HOSTS
        )

    def change_weights():
        for host, weight in WEIGHTS.items():
            site.set_weight(host, weight)

    def release():
        for job in floods:
            job.end()

    enter = {
        "flooded": flood,
        "controlled": lambda: site.sluice.set(enforcement="on"),
        "weighted": change_weights,
        "released": release,
    }
    results = [runner.run(phase, enter.get(phase.name, lambda: None)) for phase in course.phases]
    flows = traffic.flows()
    delays, unanswered = [], 0
    if course.with_pulses:
        delays, unanswered = pulses(site, traffic, congestion_control)
    traffic.end()
    return Case(
        congestion_control,
        law,
        course.bottleneck_mbps,
        results,
        flows,
        delays,
        unanswered,
        quiet_probe,
        notices.since(noticed_before, notices.counted(site.host_agents.values())),
        notices.detours(site.sluice.journal(after=journal_before)),
    )


def pulses(site, traffic, congestion_control, seconds=PULSE_SECONDS):
    """Bursts of UDP into a link that TCP fills: every burst gives a first mark to answer."""
    site.progress.say(f"bursts for mark to rate: {seconds} s")
    begin = time.monotonic_ns() + 500_000_000
    end = begin + seconds * 1_000_000_000
    background = traffic.tcp(
        *(TCP_HOST, FRESH_TCP_PORTS[-1], congestion_control),
        start_nanos=begin,
        stop_nanos=end,
    )
    for number, host in enumerate(FLOODING_HOSTS, start=1):
        traffic.flood(
            *(host, site.bottleneck_mbps),
            start_nanos=begin + 1_000_000_000 + number * 210_000_000,
            stop_nanos=end,
            on_millis=PULSE_ON_MILLIS,
            off_millis=PULSE_OFF_MILLIS,
        )
    background.report(timeout_seconds=seconds + 10)
    return marks_answered(site.network.lab_run.directory, begin, end, traffic.ip_version)


def marks_answered(directory, begin_nanos, end_nanos, ip_version=4):
    """Delays in milliseconds from first marks within a window to the changed class."""
    receiver_trace = mark_delays.read_trace(directory / f"trace-{addresses.RECEIVER}.jsonl")
    first_marks = [
        (event["tNanos"], event["source"])
        for event in receiver_trace
        if event["event"] == "first-ce" and begin_nanos <= event["tNanos"] <= end_nanos
    ]
    class_changes = {
        addresses.endpoint(host).address(ip_version): [
            event["tNanos"]
            for event in mark_delays.read_trace(directory / f"trace-{host}.jsonl")
            if event["event"] == "class-change"
        ]
        for host in addresses.SENDERS
    }
    return mark_delays.delays_millis(first_marks, class_changes)
