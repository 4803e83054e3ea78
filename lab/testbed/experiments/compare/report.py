# SPDX-License-Identifier: Apache-2.0
"""The report on a comparison: a row for each system, and the document with all of them."""

from testbed.experiments.compare import systems, turns
from testbed.report import expectations
from testbed.report.figures import rounded, shown
from testbed.report.report import Report
from testbed.system import processors
from testbed.turns.times import Times

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
    by_name = {turn.mode.name: turn for turn in done}
    nothing, sluice = by_name.get(systems.NOTHING.name), by_name.get(SLUICE)
    if nothing is None or sluice is None:
        return []
    return [
        expectations.below("nothing: share of TCP", nothing.tcp_share, NOTHING_SHARE_BELOW),
        expectations.at_least(
            "sluice: share of TCP / without", sluice.tcp_share, nothing.tcp_share
        ),
    ]


def line(turn):
    """A turn in a line."""
    return f"TCP {turn.tcp_share:.3f} of its share, {turn.cpu}"


def of(experiment, done, left_out, chosen):
    """The Report; left_out: {what has no row: why}; chosen: the document's fields about that."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={"systems": [as_json(turn) for turn in done], "notRun": left_out},
        expected=expected(done),
        cpu=processors.mean_cpu_use(done),
        tables=[table(done), "\n".join(f"{name}: {why}" for name, why in left_out.items())],
    )


def as_json(turn):
    """A row of the document."""
    times = Times.of(turn.short_millis, turn.unanswered)
    return {
        "name": turn.mode.name,
        "tcpShare": round(turn.tcp_share, 4),
        "utilisation": round(turn.utilisation, 4),
        "queue": turn.queue,
        "shortFlows": {
            "begun": times.requests,
            "unanswered": times.unanswered,
            "medianMillis": rounded(times.median_millis, 2),
            "p99Millis": rounded(times.p99_millis, 2),
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


def table(done):
    """The table as a document has it, a row per system."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(_row(turn))} |" for turn in done]
    return "\n".join(lines)


def _row(turn):
    times = Times.of(turn.short_millis, turn.unanswered)
    kilobits = turn.control["kilobitsPerSecond"]
    queue = (shown(turn.queue[key], 0) for key in ("p50Packets", "p99Packets"))
    return [
        turn.mode.name,
        f"{turn.tcp_share:.3f}",
        f"{turn.utilisation:.2f}",
        " / ".join(queue),
        f"{shown(times.median_millis)} / {shown(times.p99_millis)}",
        f"{times.requests - times.unanswered} of {times.requests}",
        f"{turn.met} of {turns.DEADLINES}",
        "not registered" if turn.promised is None else f"{turn.promised} / {turn.broken}",
        f"{kilobits[turns.AGENTS]:.0f} / {kilobits[turns.SWITCHES]:.0f}",
        f"{turn.control['messagesPerSecond']:.0f}",
    ]
