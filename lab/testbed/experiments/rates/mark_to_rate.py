# SPDX-License-Identifier: Apache-2.0
"""`lab/run mark-to-rate`: from a first mark at the receiver to the changed class at the sender."""

from testbed.deployment import signals, startup
from testbed.flooding import bursts
from testbed.flooding.phases import FLOODING_HOSTS
from testbed.measure import mark_delays
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.report.expectations import at_least, below, verdict
from testbed.system import processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

EXPERIMENT = "mark-to-rate"
BOTTLENECK_MBPS = 50
P50_MILLIS, P99_MILLIS = 10, 25
LEAST_ANSWERED = 0.9
FURTHER_SECONDS = 4  # bursts begin late, and not every one is marked
SET_UP_SECONDS = 100


def add_options(command):
    """Declare the options."""
    common.deployment(command, with_standalone=True)
    common.congestion_control(command)
    common.law(command)
    common.number(command, "--samples", (20, 2000), 200, "per path", metavar=None)
    common.signal_choices(command, with_all=True)


def run(options):
    """Measure every path of signals that was chosen; returns the exit status."""
    given = startup.given_controller(options)
    choices = signals.chosen(options.signals, options.notices)
    seconds = _seconds_for(options.samples)
    progress = Progress(SET_UP_SECONDS + seconds * len(choices))
    laboratory = startup.laboratory_of(EXPERIMENT, progress, options)
    rows = []
    with laboratory:
        deployment, chosen = startup.deploy(laboratory, options, given, BOTTLENECK_MBPS)
        deployment.sluice.set(law=options.law, enforcement="on")
        signals.prepare(deployment, choices)
        for choice in choices:
            signals.use(deployment, choice)
            startup.wait_until_idle(progress)
            rows.append(_measure(deployment, choice, options.cc, seconds))
    expected = [each for row in rows for each in _expectations(row, options.samples)]
    worst = processors.CpuUse(
        min(row["cpuIdle"] for row in rows), max(row["cpuStolen"] for row in rows)
    )
    document = {
        "experiment": EXPERIMENT,
        "controller": chosen.as_json(),
        "law": options.law,
        "congestionControl": options.cc,
        "paths": rows,
        "expectations": [each.as_json() for each in expected],
        "leftovers": laboratory.leftovers,
        "verdict": verdict(expected, laboratory.leftovers, worst),
    }
    print(_table(rows))
    return documents.conclude(document, expected, options.out, options.json, cpu=worst)


def _seconds_for(samples):
    """How long bursts take to cause so many first marks."""
    period = (bursts.ON_MILLIS + bursts.OFF_MILLIS) / 1e3
    return int(1.15 * samples * period / len(FLOODING_HOSTS)) + FURTHER_SECONDS


def _measure(deployment, choice, congestion_control, seconds):
    traffic = Traffic(deployment.network, f"{choice.source}-{choice.notices}")
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    before = processors.cpu_times()
    deployment.progress.log(f"bursts for mark to rate: {seconds} s")
    delays, unanswered = bursts.run(traffic, BOTTLENECK_MBPS, congestion_control, seconds)
    cpu = processors.cpu_use(before, processors.cpu_times())
    traffic.end()
    if not delays:
        raise LabError(f"signals '{choice.source}': none of {unanswered} marks was answered")
    return {
        "signals": choice.source,
        "notices": choice.notices,
        "markToRateMs": mark_delays.summary(delays),
        "slowest": mark_delays.slowest(delays),
        "unanswered": unanswered,
        **cpu.as_json(),
    }


def _expectations(row, samples):
    """Enough samples, p50 and p99 within bounds, and nearly all marks answered."""
    path, marks = f"{row['signals']}/{row['notices']}", row["markToRateMs"]
    answered = marks["samples"] / (marks["samples"] + row["unanswered"])
    return [
        at_least(f"{path}: samples", marks["samples"], samples),
        at_least(f"{path}: part of first marks that is answered", answered, LEAST_ANSWERED),
        below(f"{path}: mark to rate, p50, ms", marks["p50"], P50_MILLIS),
        below(f"{path}: mark to rate, p99, ms", marks["p99"], P99_MILLIS),
    ]


def _table(rows):
    lines = [f"{'signals':<9}{'notices':<9}{'p50':>8}{'p99':>8}{'most':>8}   ms, of samples"]
    for row in rows:
        marks, worst = row["markToRateMs"], row["slowest"][0]
        lines.append(
            f"{row['signals']:<9}{row['notices']:<9}{marks['p50']:>8.2f}{marks['p99']:>8.2f}"
            f"{worst['delayMs']:>8.2f}   {marks['samples']} ({row['unanswered']} unanswered),"
            f" {processors.CpuUse(row['cpuIdle'], row['cpuStolen'])}"
        )
    return "\n" + "\n".join(lines) + "\n"


COMMAND = Command(
    EXPERIMENT,
    "from the first mark to the sender's changed rate, for every path of signals",
    add_options,
    run,
)
