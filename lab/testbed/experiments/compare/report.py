# SPDX-License-Identifier: Apache-2.0
"""The report on a comparison: a row for each system, and the document with all of them."""

from testbed.experiments.compare import systems, turns
from testbed.measure.quantiles import quantile
from testbed.report import expectations
from testbed.report.expectations import verdict
from testbed.system import processors

# Any of them shows that the traffic is the problem and that there is an answer to it, or else the
# table says nothing.
NOTHING_SHARE_BELOW = 0.5
SLUICE = "sluice"
COLUMNS = (
    "system",
    "share of TCP",
    "link used",
    "queue p50 / p99, packets",
    "short flows: median / p99, ms",
    "short flows that ended",
    "deadlines met",
    "promised / broken",
    "control with agents / switches, kbit/s",
    "messages between agents, 1/s",
)


def expected(done):
    """Floods starve TCP where nothing is done, and less under Sluice's law."""
    by_name = {turn.system.name: turn for turn in done}
    nothing, sluice = by_name.get(systems.NOTHING.name), by_name.get(SLUICE)
    if nothing is None or sluice is None:
        return []
    return [
        expectations.below("nothing: share of TCP", nothing.tcp_share, NOTHING_SHARE_BELOW),
        expectations.at_least(
            "sluice: share of TCP / without", sluice.tcp_share, nothing.tcp_share
        ),
    ]


def document(experiment, onos_version, done, left_out, leftovers, further):
    """The document of `--json FILE`."""
    judged = expected(done)
    cpu = processors.mean_cpu_use([turn.cpu for turn in done], [turn.seconds for turn in done])
    return {
        "experiment": experiment,
        "onosVersion": onos_version,
        **cpu.as_json(),
        **further,
        "systems": [as_json(turn) for turn in done],
        "notRun": left_out,
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in judged],
        "verdict": verdict(judged, leftovers, cpu),
    }


def as_json(turn):
    """A row of the document."""
    return {
        "name": turn.system.name,
        "tcpShare": round(turn.tcp_share, 4),
        "utilisation": round(turn.utilisation, 4),
        "queue": turn.queue,
        "shortFlows": {
            "begun": len(turn.short_millis),
            "unanswered": turn.unanswered,
            "medianMillis": _rounded(quantile(turn.short_millis, 0.50)),
            "p99Millis": _rounded(quantile(turn.short_millis, 0.99)),
        },
        "deadlines": {
            "transfers": turns.DEADLINES,
            "met": turn.met,
            "promised": turn.promised,
            "broken": turn.broken,
        },
        "control": turn.control,
        **turn.cpu.as_json(),
    }


def _rounded(value):
    return None if value is None else round(value, 2)


def table(done):
    """The table as a document has it, a row per system."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(_row(turn))} |" for turn in done]
    return "\n".join(lines)


def _row(turn):
    begun = len(turn.short_millis)
    kilobits = turn.control["kilobitsPerSecond"]
    queue = (turn.queue[key] for key in ("p50Packets", "p99Packets"))
    millis = (quantile(turn.short_millis, share) for share in (0.50, 0.99))
    return [
        turn.system.name,
        f"{turn.tcp_share:.3f}",
        f"{turn.utilisation:.2f}",
        " / ".join("-" if each is None else str(each) for each in queue),
        " / ".join("-" if each is None else f"{each:.1f}" for each in millis),
        f"{begun - turn.unanswered} of {begun}",
        f"{turn.met} of {turns.DEADLINES}",
        "not registered" if turn.promised is None else f"{turn.promised} / {turn.broken}",
        f"{kilobits[turns.AGENTS]:.0f} / {kilobits[turns.SWITCHES]:.0f}",
        f"{turn.control['messagesPerSecond']:.0f}",
    ]
