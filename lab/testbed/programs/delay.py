# SPDX-License-Identifier: Apache-2.0
"""Forward every frame from one device to another, a fixed time later, in order.

A true delay where the kernel has no netem: frames are held here, neither shaped nor merged.
"""

import argparse
import contextlib
import select
import socket
import time
from collections import deque

ETH_P_ALL = 0x0003
LARGEST_FRAME_BYTES = 1 << 16
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
MOST_HELD = 10_000  # frames; more than that is lost, as in any queue


def main():
    """Delay until ended by a signal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--from-device", required=True)
    options.add_argument("--to-device", required=True)
    options.add_argument("--millis", type=float, required=True)
    chosen = options.parse_args()
    line = DelayLine(
        _open(chosen.from_device), _open(chosen.to_device), int(chosen.millis * 1_000_000)
    )
    while True:
        line.turn()


def _open(device):
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    packets.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    packets.bind((device, ETH_P_ALL))
    packets.setblocking(False)
    return packets


class DelayLine:
    """Frames in transit from one socket to another."""

    def __init__(self, source, target, delay_nanos, now=time.monotonic_ns):
        self._source = source
        self._target = target
        self._delay_nanos = delay_nanos
        self._now = now
        self._held = deque()  # (due instant, frame)

    def turn(self):
        """Wait for the next arrival or departure, and do what is due."""
        remaining = None
        if self._held:
            remaining = max(0, self._held[0][0] - self._now()) / 1e9
        readable, _, _ = select.select([self._source], [], [], remaining)
        if readable:
            self._receive()
        self._send_due()

    def _receive(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                frame = self._source.recv(LARGEST_FRAME_BYTES)
                if len(self._held) < MOST_HELD:
                    self._held.append((self._now() + self._delay_nanos, frame))

    def _send_due(self):
        while self._held and self._held[0][0] <= self._now():
            _, frame = self._held.popleft()
            # A full or vanished device loses the frame, as a wire would.
            with contextlib.suppress(OSError):
                self._target.send(frame)


if __name__ == "__main__":
    main()
