# SPDX-License-Identifier: Apache-2.0
"""Expectations and the verdict that follows from them."""

from dataclasses import dataclass

LEAST_IDLE_SHARE = 0.10
MOST_STOLEN_SHARE = 0.02
EXIT_STATUS = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True)
class Expectation:
    """A measured value against a bound; without a measurement it does not hold."""

    name: str
    measured: float | None
    bound: str
    holds: bool

    def as_json(self):
        """Its part of a result document."""
        return {
            "name": self.name,
            "measured": self.measured if self.measured is None else round(self.measured, 4),
            "bound": self.bound,
            "holds": self.holds,
        }


def at_least(name, measured, bound):
    """Expect measured >= bound."""
    return Expectation(name, measured, f">= {bound:g}", measured is not None and measured >= bound)


def below(name, measured, bound):
    """Expect measured < bound."""
    return Expectation(name, measured, f"< {bound:g}", measured is not None and measured < bound)


def within(name, measured, low, high):
    """Expect low <= measured <= high."""
    holds = measured is not None and low <= measured <= high
    return Expectation(name, measured, f"{low:g} .. {high:g}", holds)


def busy_intervals(uses):
    """Names of the intervals, {name: CpuUse}, in which the machine had too little idle CPU."""
    return [name for name, use in uses.items() if use.idle < LEAST_IDLE_SHARE]


def verdict(expectations, leftovers, cpu, busy=()):
    """pass | fail | inconclusive.

    cpu: CpuUse while traffic ran; None where it does not matter. busy: what busy_intervals() names;
    one suffices, as a phase that is measured on such a machine says nothing, however idle it was in
    the others. A machine with less than LEAST_IDLE_SHARE idle cannot emulate the bottleneck, so
    neither success nor failure means anything. One whose hypervisor gave more than
    MOST_STOLEN_SHARE of its time to others paused for milliseconds at a time: that explains any
    failure, and cannot cause a success. Anything left behind is a failure on any machine.
    """
    if leftovers:
        return "fail"
    if busy or (cpu is not None and cpu.idle < LEAST_IDLE_SHARE):
        return "inconclusive"
    if all(expectation.holds for expectation in expectations):
        return "pass"
    return "inconclusive" if cpu is not None and cpu.stolen > MOST_STOLEN_SHARE else "fail"


def why_inconclusive(cpu, busy=()):
    """Why a verdict on them is inconclusive, and the remedy, in sentences; as verdict()."""
    reasons = []
    if busy:
        reasons.append(f"under {LEAST_IDLE_SHARE:.0%} idle CPU in: {', '.join(busy)}")
    if cpu is not None and cpu.idle < LEAST_IDLE_SHARE:
        reasons.append(f"idle CPU {cpu.idle:.1%} in all, under {LEAST_IDLE_SHARE:.0%}")
    if reasons:
        reasons.append("end what else runs on this machine, or take more processors")
    elif cpu is not None and cpu.stolen > MOST_STOLEN_SHARE:
        reasons.append(
            f"the hypervisor gave {cpu.stolen:.1%} of the CPU time to others, over"
            f" {MOST_STOLEN_SHARE:.0%}: run it again, or on a machine of its own"
        )
    return reasons


def worst(verdicts):
    """The verdict of several results together: fail before inconclusive before pass."""
    seen = set(verdicts)
    return next((each for each in ("fail", "inconclusive") if each in seen), "pass")
