# SPDX-License-Identifier: Apache-2.0
"""The sender of attacks keeps its rate."""

import itertools
from types import SimpleNamespace

import pytest

from testbed.programs import attack, clock

SECOND = 1_000_000_000


class Clock:
    """A clock that moves when a thread sleeps; wake-ups may be late once."""

    def __init__(self, late_at=None, late_nanos=0):
        self.now = 0
        self.late_at, self.late_nanos = late_at, late_nanos

    def sleep_until(self, instant):
        self.now = max(self.now, instant)
        if self.late_at is not None and self.now >= self.late_at:
            self.now += self.late_nanos
            self.late_at = None


@pytest.fixture
def wire():
    sent = []
    return SimpleNamespace(sent=sent, send=sent.append)


def send(monkeypatch, time, wire, rate, seconds=2):
    monkeypatch.setattr(clock, "now_nanos", lambda: time.now)
    monkeypatch.setattr(clock, "sleep_until", time.sleep_until)
    return attack.send(wire, itertools.repeat(b"x" * 60), rate, seconds * SECOND)


@pytest.mark.parametrize("rate", [20, 500, 8000])
def test_frames_are_paced_at_the_rate(monkeypatch, wire, rate):
    report = send(monkeypatch, Clock(), wire, rate)
    assert report["frames"] == pytest.approx(2 * rate, rel=0.01, abs=1)
    assert report["bytes"] == 60 * report["frames"] == 60 * len(wire.sent)
    assert report["refused"] == 0
    assert report["seconds"] == 2


def test_a_long_pause_is_not_compensated(monkeypatch, wire):
    report = send(monkeypatch, Clock(late_at=SECOND, late_nanos=SECOND // 2), wire, 1000)
    assert report["frames"] == pytest.approx(1500 + attack.LARGEST_BATCH, abs=5)


def test_frames_refused_by_the_kernel_are_counted(monkeypatch):
    def refuse(frame):
        raise BlockingIOError

    report = send(monkeypatch, Clock(), SimpleNamespace(send=refuse), 100)
    assert report["refused"] == report["frames"] > 0
    assert report["bytes"] == 0
