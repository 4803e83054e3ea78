# SPDX-License-Identifier: Apache-2.0
"""Receive transfers: when the last byte of one has come, tell its sender at what instant.

A transfer begins with its size, 8 bytes, most significant first, which counts as part of it. The
answer is one JSON line {"lastByteNanos": N} of CLOCK_MONOTONIC.
"""

import asyncio
import contextlib
import json
import struct

from testbed.programs import clock

SIZE = struct.Struct("!Q")


def main():
    """Run until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--bind", required=True, help="own address")
    options.add_argument("--ports", type=int, nargs="+", required=True)
    chosen = options.parse_args()
    with contextlib.suppress(TimeoutError):
        asyncio.run(_serve(chosen))


async def _serve(chosen):
    for port in chosen.ports:
        await asyncio.start_server(_receive, chosen.bind, port, limit=1 << 20)
    remaining = (chosen.stop_nanos - clock.now_nanos()) / 1e9
    await asyncio.sleep(max(0, remaining))


async def _receive(reader, writer):
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        (size,) = SIZE.unpack(await reader.readexactly(SIZE.size))
        left = size - SIZE.size
        while left > 0:
            received = await reader.read(1 << 20)
            if not received:
                return
            left -= len(received)
        writer.write((json.dumps({"lastByteNanos": clock.now_nanos()}) + "\n").encode())
        await writer.drain()
    writer.close()


if __name__ == "__main__":
    main()
