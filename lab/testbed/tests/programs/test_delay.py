# SPDX-License-Identifier: Apache-2.0
"""The delay line: nothing early, nothing out of order, nothing lost."""

import socket
import time

from testbed.programs.delay import DelayLine

DELAY_NANOS = 20_000_000


def test_frames_come_out_in_order_and_not_before_their_time():
    source, feeder = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    target, drain = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for each in (source, drain):
        each.setblocking(False)
    line = DelayLine(source, target, DELAY_NANOS)
    frames = [bytes([number]) * 60 for number in range(20)]
    begun = time.monotonic_ns()
    for frame in frames:
        feeder.send(frame)
    came = []
    while len(came) < len(frames) and time.monotonic_ns() < begun + 5_000_000_000:
        line.turn()
        try:
            while True:
                came.append(drain.recv(100))
                assert time.monotonic_ns() - begun >= DELAY_NANOS
        except BlockingIOError:
            pass
    assert came == frames
    for each in (source, feeder, target, drain):
        each.close()


def test_a_device_that_takes_nothing_loses_frames_and_stops_nobody():
    source, feeder = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    target, drain = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    source.setblocking(False)
    drain.close()
    line = DelayLine(source, target, 0)
    feeder.send(b"lost")
    line.turn()
    for each in (source, feeder, target):
        each.close()
