# SPDX-License-Identifier: Apache-2.0
"""The frame around every experiment."""

from types import SimpleNamespace

import pytest

from testbed.deployment.laboratory import Laboratory


class FakeAgent:
    """An agent that runs, or has ended, and leaves pins or none."""

    node = SimpleNamespace(name="h1")

    def __init__(self, has_ended, pins):
        self.has_ended = has_ended
        self.pins = pins
        self.is_stopped = False

    def last_log_line(self):
        return "panic: nil"

    def start(self):
        """Nothing to start."""

    def stop(self):
        self.is_stopped = True


@pytest.mark.parametrize(
    ("has_ended", "pins", "leftover"),
    [
        (False, [], None),
        (True, [], "the agent on h1 had ended by itself: panic: nil"),
        (False, ["/sys/fs/bpf/x"], "pin of the stopped agent on h1: /sys/fs/bpf/x"),
    ],
)
def test_an_agent_that_ended_or_left_something_is_a_leftover(has_ended, pins, leftover):
    laboratory = Laboratory("test", progress=None)
    agent = laboratory.start_agent(FakeAgent(has_ended, pins))
    laboratory.cleanup.close()
    assert agent.is_stopped
    assert laboratory.leftovers == ([] if leftover is None else [leftover])
