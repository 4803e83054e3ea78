# SPDX-License-Identifier: Apache-2.0
"""`lab/run rate-error`: how exactly the shim limits a rate, and what it costs at 1 Gbit/s.

Limits are set by hand (`sluice-agent limit`). UDP exceeds each of them; the uplink's counter shows
the rate of each second. Then a paced TCP connection uses the same path with and without an agent,
in turns, and the processors' time is compared.
"""

import json
import signal
import subprocess
import time
from pathlib import Path

from testbed.control import agent_process, agents
from testbed.deployment.laboratory import Laboratory
from testbed.measure.quantiles import mean, median
from testbed.measure.shares import FRAME_BYTES
from testbed.network import addresses
from testbed.network.direct_cable import DIRECT, RECEIVER, SENDER, DirectCable
from testbed.network.topology import UPLINK, VM_PORT
from testbed.options import common
from testbed.options.command import Command
from testbed.programs import clock, launch
from testbed.report import documents
from testbed.report.expectations import below, verdict
from testbed.system import polling, processors
from testbed.system.progress import Progress
from testbed.traffic.generators import FLOOD_PORT, LONG_LIVED_PORT

EXPERIMENT = "rate-error"
RATES_MBPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
GREATEST_ERROR = 0.01
UPLINK_MBPS = 10_000
OVERDRIVE = 1.25
# From this rate on the sender leaves segmentation to the kernel, as virtual machines do: one core
# cannot send single frames fast enough.
SUPER_PACKETS_FROM_MBPS, SEGMENTS = 500, 20
START_SECONDS = 10  # within which a program has to run
FIRST_FRAMES = 10
SETTLING_NANOS = 700_000_000
MEASURED_NANOS = 3_300_000_000
COST_ROUNDS, COST_SECONDS = 3, 4
COST_MBPS = 1000
GREATEST_AGENT_POINTS = 1.0
TICKS_PER_SECOND = 100


def run(options):
    """Run the experiment; returns the exit status."""
    agent_process.require_binary()
    each = (SETTLING_NANOS + MEASURED_NANOS) / 1e9
    progress = Progress((len(RATES_MBPS) + 1) * each + 2 * COST_ROUNDS * (COST_SECONDS + 2) + 10)
    laboratory = Laboratory(EXPERIMENT, progress, DIRECT, DirectCable)
    with laboratory:
        path = _Path(laboratory.network)
        laboratory.cleanup.callback(path.end)
        path.start_sink()
        agent = agents.host_agent(laboratory.network, SENDER, UPLINK_MBPS)
        laboratory.start_agent(agent)
        unlimited = median(path.rates_under(1.5 * RATES_MBPS[-1]))
        progress.log(f"without a limit: {unlimited:.0f} Mbit/s")
        rows = [_rate_row(path, agent, rate, unlimited, progress) for rate in RATES_MBPS]
        agent.limit(VM_PORT, COST_MBPS)
        costs = _costs(path, agent, progress)
    judged = [row for row in rows if row["carried"]]
    worst = max((row["worstError"] for row in judged), default=None)
    # Both processors may be busy here, but a hypervisor must not give them to others.
    stolen = processors.CpuUse(1.0, max((row["cpuStolen"] for row in judged), default=0.0))
    expected = [
        below("worst error of a second's rate, of all rates judged", worst, GREATEST_ERROR),
        below("agent's CPU at 1 Gbit/s, points", costs["agentPoints"], GREATEST_AGENT_POINTS),
    ]
    document = {
        "experiment": EXPERIMENT,
        "unlimitedMbps": round(unlimited, 1),
        "rates": rows,
        "cost": costs,
        "expectations": [each.as_json() for each in expected],
        "leftovers": laboratory.leftovers,
        "verdict": verdict(expected, laboratory.leftovers, stolen),
    }
    print(_table(rows, costs))
    return documents.conclude(document, expected, options.out, options.json, cpu=stolen)


def _rate_row(path, agent, rate, unlimited, progress):
    agent.limit(VM_PORT, rate)
    before = processors.cpu_times()
    rates = path.rates_under(min(rate * OVERDRIVE + 1, 1.5 * RATES_MBPS[-1]))
    cpu = processors.cpu_use(before, processors.cpu_times())
    agent.limit(VM_PORT, None)
    errors = [got / rate - 1 for got in rates]
    row = {
        "limitMbps": rate,
        "meanMbps": round(mean(rates), 4),
        "meanError": round(mean(errors), 5),
        "worstError": round(max(map(abs, errors)), 5),
        # Else the sender or the machine would be measured.
        "carried": unlimited >= 1.1 * rate,
        **cpu.as_json(),
    }
    progress.log(f"  {rate} Mbit/s: mean error {row['meanError']:+.2%}")
    return row


def _costs(path, agent, progress):
    """Processor time with and without the shim, medians over rounds, in points of one processor."""
    costs = {True: [], False: []}
    for number in range(COST_ROUNDS):
        for with_shim in (True, False):
            progress.log(f"cost, round {number + 1}, {'with' if with_shim else 'without'} the shim")
            if with_shim and agent.process is None:
                agent.start()
                agent.limit(VM_PORT, COST_MBPS)
            elif not with_shim:
                agent.stop()
            costs[with_shim].append(path.cost(agent.process.pid if with_shim else None))
    agent.start()

    def middle(with_shim, name):
        return median([each[name] for each in costs[with_shim]])

    return {
        "rateMbps": COST_MBPS,
        "carriedMbpsWith": round(middle(True, "mbps"), 1),
        "carriedMbpsWithout": round(middle(False, "mbps"), 1),
        "agentPoints": round(middle(True, "agent"), 2),
        "softirqPointsMore": round(middle(True, "softirq") - middle(False, "softirq"), 2),
        "busyPointsMore": round(middle(True, "busy") - middle(False, "busy"), 2),
        "busyPointsWithout": round(middle(False, "busy"), 2),
    }


class _Path:
    """Traffic over the cable, and its rate at the uplink."""

    def __init__(self, network):
        self.network = network
        self.sink = None
        self.target = addresses.endpoint(RECEIVER).ip

    def start_sink(self):
        series = self.network.lab_run.directory / "sink.jsonl"
        self.sink = self._program(
            *(self.network.machines[RECEIVER], "sink", 600, "--bind", self.target),
            *("--tcp-ports", str(LONG_LIVED_PORT), "--series", str(series)),
        )
        polling.until(
            lambda: series.exists() and series.stat().st_size > 0,
            "the sink to listen",
            timeout_seconds=START_SECONDS,
        )

    def end(self):
        if self.sink is not None:
            self.sink.terminate()
            self.sink.wait()

    def rates_under(self, offered_mbps):
        """Mbit/s of each second at an offered rate of UDP."""
        longest = START_SECONDS + (SETTLING_NANOS + MEASURED_NANOS) / 1e9 + 1
        sent_before = self._sent_bytes()
        flood = self._program(
            *(self.network.machines[SENDER], "flood", longest, "--to", self.target),
            *("--port", str(FLOOD_PORT), "--rate-mbps", str(offered_mbps)),
            *("--segments", str(SEGMENTS if offered_mbps >= SUPER_PACKETS_FROM_MBPS else 1)),
        )
        begin = self._wait_until_sending(sent_before) + SETTLING_NANOS
        meter = self._program(
            *(self.network.hypervisors[SENDER], "rate_meter"),
            *((SETTLING_NANOS + MEASURED_NANOS) / 1e9, "--device", UPLINK),
            *("--start-nanos", str(begin)),
        )
        rates = json.loads(meter.communicate(timeout=30)[0])["mbps"]
        flood.terminate()
        flood.communicate(timeout=30)
        return rates

    def cost(self, agent_pid):
        """Points of one processor (percent) while TCP is paced at COST_MBPS of frames."""
        longest = START_SECONDS + SETTLING_NANOS / 1e9 + COST_SECONDS + 1
        sent_before = self._sent_bytes()
        sender = self._program(
            *(self.network.machines[SENDER], "paced_tcp", longest, "--to", self.target),
            *("--port", str(LONG_LIVED_PORT), "--congestion-control", "cubic"),
            *("--rate-mbps", str(COST_MBPS * 0.98 * 1448 / FRAME_BYTES)),
        )
        clock.sleep_until(self._wait_until_sending(sent_before) + SETTLING_NANOS)
        before, agent_before = _processors(), _nanos_of(agent_pid)
        begun = time.monotonic()
        time.sleep(COST_SECONDS)
        seconds = time.monotonic() - begun
        after, agent_after = _processors(), _nanos_of(agent_pid)
        points = 100 / TICKS_PER_SECOND / seconds
        sender.send_signal(signal.SIGINT)
        carried = json.loads(sender.communicate(timeout=30)[0])["mbps"]
        return {
            "mbps": carried,
            "busy": points * (after["busy"] - before["busy"]),
            "softirq": points * (after["softirq"] - before["softirq"]),
            "agent": 100 * (agent_after - agent_before) / 1e9 / seconds,
        }

    def _sent_bytes(self):
        return self.network.hypervisors[SENDER].sent_bytes(UPLINK)

    def _wait_until_sending(self, sent_before):
        """Wait until a program that was just started sends; returns the instant."""
        polling.until(
            lambda: self._sent_bytes() - sent_before >= FIRST_FRAMES * FRAME_BYTES,
            "the first frames at the uplink",
            timeout_seconds=START_SECONDS,
        )
        return time.monotonic_ns()

    def _program(self, node, program, seconds, *arguments):
        stop = time.monotonic_ns() + int(seconds * 1e9)
        return node.popen(
            launch.command(program, "--stop-nanos", str(stop), *arguments),
            stdout=subprocess.PIPE,
            text=True,
            cwd=launch.PACKAGE_PARENT,
        )


def _processors():
    now = processors.cpu_times()
    return {"softirq": now.softirq, "busy": now.total - now.idle}


def _nanos_of(pid):
    """Processor time of a process's threads; the kernel's ticks of 10 ms are too coarse."""
    if pid is None:
        return 0
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads)


def _table(rows, costs):
    lines = [f"{'limit':>7}{'mean':>11}{'mean error':>12}{'worst second':>14}   Mbit/s"]
    for row in rows:
        note = f"   {processors.CpuUse(row['cpuIdle'], row['cpuStolen'])}"
        if not row["carried"]:
            note += ", not judged: the machine does not carry it"
        lines.append(
            f"{row['limitMbps']:>7}{row['meanMbps']:>11.3f}{row['meanError']:>12.3%}"
            f"{row['worstError']:>14.3%}{note}"
        )
    lines.append(
        f"\nat {costs['carriedMbpsWith']:.0f} Mbit/s of TCP, in points of one processor: agent"
        f" {costs['agentPoints']:.2f}, softirq {costs['softirqPointsMore']:+.2f}, all"
        f" {costs['busyPointsMore']:+.2f} (without the shim {costs['busyPointsWithout']:.1f})"
    )
    return "\n" + "\n".join(lines) + "\n"


COMMAND = Command(
    EXPERIMENT,
    "error of the shim's limits from 1 Mbit/s to 1 Gbit/s, and their cost at 1 Gbit/s",
    common.output,
    run,
)
