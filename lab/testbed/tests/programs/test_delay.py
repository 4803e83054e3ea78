# SPDX-License-Identifier: Apache-2.0
"""The delay line: nothing early, nothing out of order, nothing lost."""

import socket

import pytest

from testbed.programs.delay import DelayLine

DELAY_NANOS = 20_000_000


@pytest.fixture
def sockets():
    """(source, feeder), (target, drain): what is sent to the feeder is read from the source."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
    for pair in pairs:
        for each in pair:
            each.setblocking(False)
    yield pairs
    for pair in pairs:
        for each in pair:
            each.close()


def received(drain):
    frames = []
    try:
        while True:
            frames.append(drain.recv(100))
    except BlockingIOError:
        return frames


def test_frames_are_sent_in_order_and_not_before_their_time(sockets):
    (source, feeder), (target, drain) = sockets
    now = [0]
    line = DelayLine(source, target, DELAY_NANOS, now=lambda: now[0])
    first, second = ([bytes([number]) * 60 for number in range(at, at + 5)] for at in (0, 5))
    for frame in first:
        feeder.send(frame)
    line.turn()
    now[0] = DELAY_NANOS - 1
    for frame in second:
        feeder.send(frame)
    line.turn()
    assert received(drain) == []
    now[0] = DELAY_NANOS
    line.turn()
    assert received(drain) == first
    now[0] = 2 * DELAY_NANOS - 2
    feeder.send(b"third")
    line.turn()
    assert received(drain) == []
    now[0] = 2 * DELAY_NANOS - 1
    line.turn()
    assert received(drain) == second


def test_frames_for_a_blocked_device_are_lost_without_stopping_others(sockets):
    (source, feeder), (target, drain) = sockets
    line = DelayLine(source, target, 0)
    drain.close()
    feeder.send(b"lost")
    line.turn()
    feeder.send(b"lost too")
    line.turn()
