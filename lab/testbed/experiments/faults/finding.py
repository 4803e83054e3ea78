# SPDX-License-Identifier: Apache-2.0
"""What is measured of one fault, and how it is judged."""

from dataclasses import dataclass, field

from testbed.report import expectations
from testbed.report.expectations import verdict
from testbed.report.figures import rounded
from testbed.system import processors

NO_GAP_OVER_MILLIS = 500
CONTROL_WITHIN_MILLIS = 10_000


@dataclass
class Finding:
    """The effects of one fault; times in milliseconds, None where there is nothing to measure."""

    cause: str
    gap_others_millis: float | None = None
    gap_affected_millis: float | None = None
    recovery_millis: float | None = None
    recovery_of: str = ""
    cpu: processors.CpuUse | None = None
    figures: dict = field(default_factory=dict)
    leftovers: list = field(default_factory=list)
    expectations: list = field(default_factory=list)

    @property
    def verdict(self):
        """pass, fail or inconclusive.

        All bounds are upper bounds of times: if they hold on a busy machine, they hold on any.
        """
        holds = all(each.holds for each in self.expectations)
        return verdict(self.expectations, self.leftovers, None if holds else self.cpu)

    def expect(self, *judged):
        """Add expectations; for chaining."""
        self.expectations += judged
        return self

    def expect_no_gap(self, affected_too=True):
        """The bound of the gaps of others, and (by default) of the affected."""
        self.expect(
            expectations.below("gap of others, ms", self.gap_others_millis, NO_GAP_OVER_MILLIS)
        )
        if affected_too:
            gap = self.gap_affected_millis
            self.expect(expectations.below("gap of the affected, ms", gap, NO_GAP_OVER_MILLIS))
        return self

    def expect_recovery(self, within_millis=CONTROL_WITHIN_MILLIS):
        """The bound of the time until control works again."""
        return self.expect(
            expectations.below(f"{self.recovery_of}, ms", self.recovery_millis, within_millis)
        )

    def as_json(self, name):
        """Its part of the result document."""
        return {
            "name": name,
            "cause": self.cause,
            "gapOthersMillis": rounded(self.gap_others_millis, 1),
            "gapAffectedMillis": rounded(self.gap_affected_millis, 1),
            "recoveryMillis": rounded(self.recovery_millis, 1),
            "recoveryOf": self.recovery_of,
            **({} if self.cpu is None else self.cpu.as_json()),
            "figures": self.figures,
            "leftovers": self.leftovers,
            "expectations": [each.as_json() for each in self.expectations],
            "verdict": self.verdict,
        }
