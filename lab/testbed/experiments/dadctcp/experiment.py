# SPDX-License-Identifier: Apache-2.0
"""`lab/run dadctcp`: cubic, BBR, DCTCP and DA-DCTCP through a port agent's queue.

One machine sends endless TCP to another. An agent puts DCTCP and DA-DCTCP into the kernel's TCP and
has the receiver use one of them, so that it takes marks; senders choose theirs by socket option.
The queue marks above K, and under DA-DCTCP by its slope from K1 to K2.
"""

from testbed.control import agent_process, agents
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.dadctcp import report, turns
from testbed.experiments.dadctcp.runner import TURN_SECONDS, DaDctcpRunner
from testbed.network.shaped_cable import SHAPED, ShapedCable
from testbed.options import common
from testbed.options.command import Command
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.turns.turn import rounds_of

EXPERIMENT = "dadctcp"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 6, 4


def add_options(command):
    """Declare the options."""
    common.output(command)
    common.capacity(command, 50, "the queue")
    common.numbers(
        *(command, "--flows", (1, 64), (1, 4, 16)),
        "endless connections at once, one number after the other",
    )
    common.number(
        *(command, "--k1", (1, 1000), None),
        "above how many packets DA-DCTCP's queue marks while it grows (three quarters of K,"
        " above which DCTCP's marks: 6 at 50 Mbit/s)",
    )
    common.number(
        *(command, "--k2", (1, 1000), None),
        "from how many packets on it always marks (K + 1, as DCTCP's: 9 at 50 Mbit/s)",
    )
    common.repetitions(command, 3, "of all turns, 75 s each")


def run(options):
    """Run the experiment; returns the exit status."""
    agent_process.require_binary()
    threshold = agents.mark_threshold_packets(options.capacity)
    slope = slope_thresholds(options, threshold)
    packet_millis = agents.PACKET_BITS / options.capacity / 1e3
    rounds = rounds_of(options.repetitions, turns.MODES, options.flows)
    progress = Progress(SET_UP_SECONDS + len(rounds) * TURN_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, SHAPED, ShapedCable)
    with laboratory:
        runner = DaDctcpRunner(laboratory, options.capacity, threshold, slope)
        done = runner.run_all(rounds)
        controls = runner.controls()
    judged = report.expected(done, options.capacity, packet_millis)
    chosen = {
        "bottleneckMbps": options.capacity,
        "bufferPackets": agents.BUFFER_PACKETS,
        "markThresholdPackets": threshold,
        **slope,
        "queueBoundMicros": agents.queue_bound_micros(slope, options.capacity),
        "controls": controls,
    }
    marks = f"K = {threshold}, K1 = {slope['k1Packets']}, K2 = {slope['k2Packets']}"
    title = f"Round trips through {options.capacity:g} Mbit/s, {marks}"
    return report.of(EXPERIMENT, done, judged, chosen, title).conclude(
        options, laboratory.leftovers
    )


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


COMMAND = Command(
    EXPERIMENT,
    "cubic, BBR, DCTCP and DA-DCTCP through one queue: goodput, round trips, losses, fairness",
    add_options,
    run,
)
