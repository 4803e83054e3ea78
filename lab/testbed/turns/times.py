# SPDX-License-Identifier: Apache-2.0
"""How long requests or flows took, summed up."""

from dataclasses import dataclass

from testbed.measure.quantiles import mean, median, quantile
from testbed.report.figures import rounded


@dataclass(frozen=True)
class Times:
    """Of all requests of some turns; None without any.

    The time of one that was not answered is the time that it was given, the least that it can have
    taken.
    """

    requests: int
    unanswered: int
    mean_millis: float | None
    median_millis: float | None
    p95_millis: float | None
    p99_millis: float | None

    @classmethod
    def of(cls, millis, unanswered):
        """From the time of each."""
        return cls(
            *(len(millis), unanswered),
            *(mean(millis), median(millis), quantile(millis, 0.95), quantile(millis, 0.99)),
        )

    def as_json(self):
        """Its part of a result document."""
        return {
            "requests": self.requests,
            "unanswered": self.unanswered,
            "medianMillis": rounded(self.median_millis),
            "p95Millis": rounded(self.p95_millis),
            "p99Millis": rounded(self.p99_millis),
        }
