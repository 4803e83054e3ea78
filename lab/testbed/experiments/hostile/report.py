# SPDX-License-Identifier: Apache-2.0
"""The report on attacks: the document and the table."""

from functools import partial

from testbed.experiments.hostile import criteria, shares_plot
from testbed.report.expectations import busy_intervals, verdict
from testbed.report.figures import rounded, shown
from testbed.report.report import Report
from testbed.system import processors


def of(experiment, results, failures, chosen, title):
    """The Report; failures: as criteria.expected has them; chosen: fields about what was chosen."""
    return Report(
        experiment=experiment,
        chosen=chosen,
        measured={"attacks": [_attack_as_json(result) for result in results]},
        expected=criteria.expected(results, failures),
        aims=criteria.aims(results),
        cpu=processors.mean_cpu_use(results),
        busy=busy_intervals({result.name: result.cpu for result in results}),
        tables=[table(results)],
        draw=partial(shares_plot.draw, results, title),
    )


def _attack_as_json(result):
    return {
        "name": result.name,
        "summary": result.attack.summary,
        **result.cpu.as_json(),
        "victims": [
            {
                "name": victim.host,
                "shareBefore": round(victim.before, 4),
                "shareDuring": round(victim.during, 4),
                "p99BeforeMillis": rounded(victim.p99_before_millis),
                "p99DuringMillis": rounded(victim.p99_during_millis),
                "lostBefore": round(victim.lost_before, 4),
                "lostDuring": round(victim.lost_during, 4),
            }
            for victim in result.victims
        ],
        "offeredShare": rounded(result.offered),
        "arrivedFrames": result.arrived,
        "misattributed": result.misattributed,
        "denied": result.denied,
        "falseLinks": result.false_links,
        "recoverySeconds": rounded(result.recovery_seconds),
        **result.queue,
        **result.details,
        "verdict": verdict(criteria.of(result), [], result.cpu),
    }


def table(results):
    """The table that the experiment prints."""
    lines = [
        f"{'attack':<26}{'victim':<8}{'before':>8}{'during':>8}{'p99, ms':>10}{'during':>9}"
        f"{'arrived':>9}{'answered':>10}"
    ]
    for result in results:
        for number, victim in enumerate(result.victims):
            first = number == 0
            recovered = (
                "never"
                if result.recovery_seconds is None
                else "after " + shown(result.recovery_seconds)
            )
            lines.append(
                f"{result.name if first else '':<26}{victim.host:<8}"
                f"{victim.before:>8.0%}{victim.during:>8.0%}"
                f"{shown(victim.p99_before_millis):>10}{shown(victim.p99_during_millis):>9}"
                f"{result.arrived if first else '':>9}{recovered if first else '':>10}"
            )
        lines.append(f"{'':<26}{result.cpu}, {result.queue['droppedPackets']} dropped")
    lines.append("before, during: of its share of the wire; arrived: frames beside the attacker")
    return "\n".join(lines)
