# SPDX-License-Identifier: Apache-2.0
"""`lab/run dadctcp`: cubic, BBR, DCTCP and DA-DCTCP through a port agent's queue.

One machine sends endless TCP to another. An agent puts DCTCP and DA-DCTCP into the kernel's TCP and
has the receiver use one of them, so that it takes marks; senders choose theirs by socket option.
The queue marks above K, and under DA-DCTCP by its slope from K1 to K2.
"""

import time
from pathlib import Path

from testbed.control import agent_process, agents
from testbed.deployment import marked_tcp
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.dadctcp import report, turns
from testbed.measure import bottleneck_queue
from testbed.network.direct_cable import RECEIVER, SENDER
from testbed.network.shaped_cable import PORT_ID, SHAPED, ShapedCable
from testbed.options import common, values
from testbed.options.command import Command
from testbed.programs import clock
from testbed.report import documents
from testbed.system import processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

EXPERIMENT = "dadctcp"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 6, 4
START_SECONDS, SETTLING_SECONDS, JUDGED_SECONDS = 0.4, 0.8, 3.0
REQUEST_MILLIS = 3.0
UPLINK_MBPS = 1000  # more than the queue sends


def add_options(command):
    """Declare the options."""
    common.output(command)
    common.capacity(command, 50, "the queue")
    command.add_argument(
        "--flows",
        metavar="N,N",
        type=values.whole_numbers(1, 64),
        default=(1, 4, 16),
        help="endless connections at once, one number after the other (1,4,16)",
    )
    command.add_argument(
        "--k1",
        metavar="N",
        type=values.whole_number(1, 1000),
        help="above how many packets DA-DCTCP's queue marks while it grows (three quarters of K,"
        " above which DCTCP's marks: 6 at 50 Mbit/s)",
    )
    command.add_argument(
        "--k2",
        metavar="N",
        type=values.whole_number(1, 1000),
        help="from how many packets on it always marks (K + 1, as DCTCP's: 9 at 50 Mbit/s)",
    )
    common.repetitions(command, 3, "of all turns, 75 s each")


def run(options):
    """Run the experiment; returns the exit status."""
    agent_process.require_binary()
    threshold = agents.mark_threshold_packets(options.capacity)
    slope = slope_thresholds(options, threshold)
    packet_millis = agents.PACKET_BITS / options.capacity / 1e3
    queue_bound_micros = agents.queue_bound_micros(slope, options.capacity)
    rounds = [
        (number, flows, mode)
        for number in range(1, options.repetitions + 1)
        for mode in turns.MODES
        for flows in options.flows
    ]
    seconds = START_SECONDS + SETTLING_SECONDS + JUDGED_SECONDS + 0.7
    progress = Progress(SET_UP_SECONDS + len(rounds) * seconds + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, SHAPED, ShapedCable)
    with laboratory:
        runner = _TurnRunner(laboratory, options.capacity, threshold, slope, queue_bound_micros)
        done = [runner.run(*each) for each in rounds]
        controls = runner.controls()
    judged = report.expected(done, options.capacity, packet_millis)
    further = {
        "bottleneckMbps": options.capacity,
        "bufferPackets": agents.BUFFER_PACKETS,
        "markThresholdPackets": threshold,
        **slope,
        "queueBoundMicros": queue_bound_micros,
        "controls": controls,
    }
    document = report.document(EXPERIMENT, done, laboratory.leftovers, judged, further)
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    marks = f"K = {threshold}, K1 = {slope['k1Packets']}, K2 = {slope['k2Packets']}"
    report.draw(done, f"Round trips through {options.capacity:g} Mbit/s, {marks}", plot)
    print(f"\n{report.table(done)}\n\nplot:    {plot}\n")
    return documents.conclude(document, judged, options.out, options.json)


def slope_thresholds(options, threshold):
    """K1 and K2, packets, those that were not chosen for K; LabError where they do not fit."""
    slope = agents.slope_thresholds(threshold)
    k1, k2 = options.k1 or slope["k1Packets"], options.k2 or slope["k2Packets"]
    if not k1 < k2 < agents.BUFFER_PACKETS:
        raise LabError(
            f"--k1 {k1}, --k2 {k2}: K1 must be below K2, and K2 below the queue's"
            f" {agents.BUFFER_PACKETS} packets; give at most {agents.BUFFER_PACKETS - 1} as --k2,"
            " and less as --k1"
        )
    return {"k1Packets": k1, "k2Packets": k2}


class _TurnRunner:
    """Runs turns one after the other, each on a port of its own."""

    def __init__(self, laboratory, capacity_mbps, threshold, slope, queue_bound_micros):
        network = laboratory.network
        self.progress = laboratory.progress
        self.marking = {False: agents.marks_above(threshold), True: agents.marks_by_slope(slope)}
        self.port_agent = agents.port_agent_of(
            network.lab_run, network.wire, PORT_ID, capacity_mbps
        )
        self.by_slope = False
        laboratory.start_agent(self.port_agent)
        self.agent = agents.host_agent(network, SENDER, UPLINK_MBPS)
        controls = [mode.congestion_control for mode in turns.MODES if mode.takes_marks]
        self.agent.reconfigure(
            {
                "enforcement": "off",
                "ecn": "preserve",
                "congestionQueueBoundMicros": queue_bound_micros,
                **marked_tcp.settings(network.machines[RECEIVER], controls),
            }
        )
        laboratory.start_agent(self.agent)
        self._require(controls)
        for machine in network.machines.values():
            # A turn learns nothing from another.
            machine.check(["sysctl", "-q", "-w", "net.ipv4.tcp_no_metrics_save=1"])
        self.traffic = Traffic(network, receivers=[RECEIVER], horizon_seconds=3600)
        laboratory.cleanup.callback(self.traffic.end)
        self.traffic.start_measuring()
        self.count = 0

    def controls(self):
        """What the agent counts for each congestion control."""
        return self.agent.status()["congestion"]["controls"]

    def _require(self, controls):
        found = self.agent.status()["congestion"]
        if [each["name"] for each in found["controls"]] != controls or not found["chosen"]:
            raise LabError(f"congestion controls: {'; '.join(found['conditions'])}")

    def run(self, number, flows, mode):
        """Run one turn; number: which repetition it belongs to."""
        self._mark(mode.by_slope)
        port = FRESH_TCP_PORTS[self.count % len(FRESH_TCP_PORTS)]
        self.count += 1
        start = time.monotonic_ns() + int(START_SECONDS * 1e9)
        judged_from = start + int(SETTLING_SECONDS * 1e9)
        judged_until = judged_from + int(JUDGED_SECONDS * 1e9)
        stop = judged_until + 100_000_000
        senders = self.traffic.greedy_tcp(
            *(SENDER, port, mode.congestion_control, flows),
            start_nanos=start,
            judged=(judged_from, judged_until),
            stop_nanos=stop,
        )
        requests = self.traffic.probe(SENDER, judged_from, judged_until, REQUEST_MILLIS)
        clock.sleep_until(judged_from)
        cpu_before, queue_before = processors.cpu_times(), self.port_agent.status()
        clock.sleep_until(judged_until)
        cpu_after, queue_after = processors.cpu_times(), self.port_agent.status()
        answers = requests.report()
        turn = turns.Turn(
            mode=mode,
            flows=flows,
            number=number,
            connections=senders.report()["connections"],
            round_trip_millis=[millis for _, millis in answers["samples"]],
            lost_requests=answers["requests"] - len(answers["samples"]),
            queue=bottleneck_queue.between(queue_before, queue_after),
            seconds=JUDGED_SECONDS,
            cpu=processors.cpu_use(cpu_before, cpu_after),
        )
        self.progress.log(f"  {report.line(turn)}")
        return turn

    def _mark(self, by_slope):
        """Have the queue mark so; its agent reads that when it starts."""
        if by_slope == self.by_slope:
            return
        self.port_agent.stop()
        self.port_agent.reconfigure(self.marking[by_slope])
        self.port_agent.start()
        self.by_slope = by_slope


COMMAND = Command(
    EXPERIMENT,
    "cubic, BBR, DCTCP and DA-DCTCP through one queue: goodput, round trips, losses, fairness",
    add_options,
    run,
)
