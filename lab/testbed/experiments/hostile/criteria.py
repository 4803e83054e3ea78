# SPDX-License-Identifier: Apache-2.0
"""The bounds that attacks are judged by."""

from testbed.report import expectations
from testbed.report.expectations import Expectation

SHARE_AT_LEAST = 0.9
OFFERED_AT_LEAST = 0.8
RECOVERED_WITHIN_SECONDS = 30
P99_RISE_BELOW_MILLIS = 10


def expected(results, failures=()):
    """All expectations of AttackResults, and of attacks that could not be carried out.

    failures: [(attack, what failed)].
    """
    judged = [each for result in results for each in of(result)]
    return [
        *judged,
        *(
            Expectation(f"{attack.name}: {failure}", None, "carried out", False)
            for attack, failure in failures
        ),
    ]


def of(result):
    """The expectations of one attack."""
    judged = []
    for victim in result.victims:
        for when, part in (("before", victim.before), ("during", victim.during)):
            name = f"{result.name}: {victim.host} {when} it / its share"
            judged.append(expectations.at_least(name, part, SHARE_AT_LEAST))
    if result.offered is not None:
        judged.append(
            expectations.at_least(
                f"{result.name}: frames offered / meant", result.offered, OFFERED_AT_LEAST
            )
        )
    if not result.attack.reaches_others:
        name = f"{result.name}: frames that reached a machine beside it"
        judged.append(expectations.below(name, result.arrived, 1))
    if result.attack.lie:
        name = f"{result.name}: what the victims were denied"
        judged.append(expectations.below(name, len(result.denied), 1))
    if not result.attack.joins:
        name = f"{result.name}: attackers in the victims' tenants"
        judged.append(expectations.below(name, len(result.misattributed), 1))
    return [
        *judged,
        expectations.below(
            f"{result.name}: seconds until both victims are answered afterwards",
            result.recovery_seconds,
            RECOVERED_WITHIN_SECONDS,
        ),
    ]


def aims(results):
    """What is reported without deciding."""
    return [
        expectations.below(
            f"{result.name}: rise of {victim.host}'s p99, ms",
            victim.p99_rise_millis,
            P99_RISE_BELOW_MILLIS,
        )
        for result in results
        for victim in result.victims
    ]
