# SPDX-License-Identifier: Apache-2.0
"""Whether the page ever was blank, or presented as being so what was not."""

from itertools import pairwise

from testbed.report import expectations

# The page's own rule: what nobody has reported for 3 s is not live. It judges every half second,
# and its clock shows whole seconds.
STANDS_SECONDS = 3 + 0.5 + 1
# From a failure that the controller detects at once to the page.
SHOWN_WITHIN_SECONDS = 5
LEAST_SAMPLES = 10

BLANK = "blank"
STANDS = "live with a clock that stands"
WITHOUT_CONTROLLER = "live without a controller"
NOT_GREY = "not live, but not grey or without the reason"
EMPTIED = "not live, and without what was there before"
AGENT = "a dead agent not shown as lost"
SWITCH = "a lost switch not shown as lost"
RULES = (BLANK, STANDS, WITHOUT_CONTROLLER, NOT_GREY, EMPTIED, AGENT, SWITCH)


class _Lasting:
    """Since when things have been so without an interruption."""

    def __init__(self):
        self._since = {}

    def update(self, now_seconds, things):
        self._since = {each: self._since.get(each, now_seconds) for each in things}

    def longer_than(self, seconds, now_seconds):
        return [each for each, since in self._since.items() if now_seconds - since > seconds]


def violations(samples):
    """[(rule, sample)] of samples in the order in which they were taken.

    What is so counts if it was so before a sample and before the next one: the last is not judged.
    """
    found = []
    live, clock = _Lasting(), _Lasting()
    agents, switches, dead = _Lasting(), _Lasting(), _Lasting()
    things = {}
    for sample, following in pairwise(samples):
        now = sample.at_seconds
        live.update(now, ["live"] if sample.is_live else [])
        clock.update(now, [sample.state_text] if sample.is_live else [])
        agents.update(now, sample.before.dead_agents & following.before.dead_agents)
        switches.update(now, sample.before.lost_switches & following.before.lost_switches)
        is_dead = not (sample.before.controller_runs or following.before.controller_runs)
        dead.update(now, ["controller"] if is_dead else [])
        found += [(rule, sample) for rule in _broken(sample, things)]
        if clock.longer_than(STANDS_SECONDS, now):
            found.append((STANDS, sample))
        if sample.is_live and dead.longer_than(STANDS_SECONDS, now):
            found.append((WITHOUT_CONTROLLER, sample))
        if live.longer_than(SHOWN_WITHIN_SECONDS, now):
            lost_agents = agents.longer_than(SHOWN_WITHIN_SECONDS, now)
            lost_switches = switches.longer_than(SHOWN_WITHIN_SECONDS, now)
            found += [(AGENT, sample) for host in lost_agents if sample.shows_agent_of(host)]
            found += [(SWITCH, sample) for name in lost_switches if sample.shows_switch(name)]
    return found


def _broken(sample, things):
    """The rules that one sample breaks; things: how many each view had when it was last live."""
    if sample.is_live:
        things[sample.view] = sample.things
    if not (sample.view and sample.characters and sample.state_text):
        yield BLANK
    elif not sample.is_live:
        if not (sample.grey and sample.state_text.startswith("Not live: all below is of")):
            yield NOT_GREY
        if sample.things < things.get(sample.view, 0):
            yield EMPTIED


def judged(samples, errors):
    """Expectations of all samples, and what broke them in words."""
    found = violations(samples)
    failures = [f"the page fails: {each}" for each in errors]
    failures += [
        f"{rule}, during {sample.fault or 'set-up'}, {sample.at_seconds:.1f} s, view {sample.view}:"
        f" {sample.state_text!r}"
        for rule, sample in found
    ]
    judgement = [expectations.at_least("page: samples", len(samples), LEAST_SAMPLES)]
    judgement += [
        expectations.below(f"page: {rule}, samples", sum(each == rule for each, _ in found), 1)
        for rule in RULES
    ]
    judgement.append(expectations.below("page: its own errors", len(errors), 1))
    return judgement, failures
