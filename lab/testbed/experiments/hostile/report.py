# SPDX-License-Identifier: Apache-2.0
"""The report on attacks: the document and the table."""

from testbed.experiments.hostile import criteria
from testbed.experiments.hostile.results import mean_cpu_use
from testbed.report.expectations import verdict


def document(experiment, onos_version, results, failures, leftovers, further):
    """The document of `--json FILE`; failures: as criteria.expected has them."""
    judged = criteria.expected(results, failures)
    cpu = mean_cpu_use(results)
    return {
        "experiment": experiment,
        "onosVersion": onos_version,
        **cpu.as_json(),
        **further,
        "attacks": [_attack_as_json(result) for result in results],
        "leftovers": leftovers,
        "expectations": [each.as_json() for each in judged],
        "aims": [each.as_json() for each in criteria.aims(results)],
        "verdict": verdict(judged, leftovers, cpu),
    }


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
                "p99BeforeMillis": _rounded(victim.p99_before_millis),
                "p99DuringMillis": _rounded(victim.p99_during_millis),
                "lostBefore": round(victim.lost_before, 4),
                "lostDuring": round(victim.lost_during, 4),
            }
            for victim in result.victims
        ],
        "offeredShare": _rounded(result.offered),
        "arrivedFrames": result.arrived,
        "strangers": result.strangers,
        "falseLinks": result.false_links,
        "recoverySeconds": _rounded(result.recovery_seconds),
        **result.queue,
        **result.details,
        "verdict": verdict(criteria.of(result), [], result.cpu),
    }


def _rounded(value):
    return None if value is None else round(value, 3)


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
                else "after " + _text(result.recovery_seconds)
            )
            lines.append(
                f"{result.name if first else '':<26}{victim.host:<8}"
                f"{victim.before:>8.0%}{victim.during:>8.0%}"
                f"{_text(victim.p99_before_millis):>10}{_text(victim.p99_during_millis):>9}"
                f"{result.arrived if first else '':>9}{recovered if first else '':>10}"
            )
        lines.append(f"{'':<26}{result.cpu}, {result.queue['droppedPackets']} dropped")
    lines.append("before, during: of its share of the wire; arrived: frames beside the attacker")
    return "\n".join(lines)


def _text(value):
    return "-" if value is None else f"{value:.1f}"
