# SPDX-License-Identifier: Apache-2.0
"""Whether the page ever was blank, or presented as being so what was not."""

from itertools import pairwise

from testbed.report import expectations

# The page's own rule: what nobody has reported for 3 s is not live. It judges every half second,
# and its clock shows whole seconds.
STANDS_SECONDS = 3 + 0.5 + 1
# From a failure that the controller detects at once to the page.
SHOWN_WITHIN_SECONDS = 5
LEAST_LOOKS = 10

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


def violations(looks):
    """[(rule, look)] of looks in the order in which they were taken.

    What is so counts if it was so before a look and before the next one: the last is not judged.
    """
    found = []
    live, clock = _Lasting(), _Lasting()
    agents, switches, dead = _Lasting(), _Lasting(), _Lasting()
    things = {}
    for look, following in pairwise(looks):
        now = look.at_seconds
        live.update(now, ["live"] if look.is_live else [])
        clock.update(now, [look.state_text] if look.is_live else [])
        agents.update(now, look.before.dead_agents & following.before.dead_agents)
        switches.update(now, look.before.lost_switches & following.before.lost_switches)
        is_dead = not (look.before.controller_runs or following.before.controller_runs)
        dead.update(now, ["controller"] if is_dead else [])
        found += [(rule, look) for rule in _broken(look, things)]
        if clock.longer_than(STANDS_SECONDS, now):
            found.append((STANDS, look))
        if look.is_live and dead.longer_than(STANDS_SECONDS, now):
            found.append((WITHOUT_CONTROLLER, look))
        if live.longer_than(SHOWN_WITHIN_SECONDS, now):
            lost_agents = agents.longer_than(SHOWN_WITHIN_SECONDS, now)
            lost_switches = switches.longer_than(SHOWN_WITHIN_SECONDS, now)
            found += [(AGENT, look) for host in lost_agents if look.shows_agent_of(host)]
            found += [(SWITCH, look) for name in lost_switches if look.shows_switch(name)]
    return found


def _broken(look, things):
    """The rules that one look breaks; things: how many each view had when it was last live."""
    if look.is_live:
        things[look.view] = look.things
    if not (look.view and look.characters and look.state_text):
        yield BLANK
    elif not look.is_live:
        if not (look.grey and look.state_text.startswith("Not live: all below is of")):
            yield NOT_GREY
        if look.things < things.get(look.view, 0):
            yield EMPTIED


def judged(looks, errors):
    """Expectations of all looks, and what broke them in words."""
    found = violations(looks)
    failures = [f"the page fails: {each}" for each in errors]
    failures += [
        f"{rule}, during {look.fault or 'set-up'}, {look.at_seconds:.1f} s, view {look.view}:"
        f" {look.state_text!r}"
        for rule, look in found
    ]
    judgement = [expectations.at_least("page: looks at it", len(looks), LEAST_LOOKS)]
    judgement += [
        expectations.below(f"page: {rule}, looks", sum(each == rule for each, _ in found), 1)
        for rule in RULES
    ]
    judgement.append(expectations.below("page: its own errors", len(errors), 1))
    return judgement, failures
