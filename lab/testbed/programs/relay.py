# SPDX-License-Identifier: Apache-2.0
"""Relay TCP connections from the management network to a controller outside of it."""

import argparse
import asyncio
import contextlib

CHUNK_BYTES = 1 << 16


def main():
    """Serve until ended by a signal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--listen", required=True, metavar="ADDRESS:PORT")
    options.add_argument("--to", required=True, metavar="HOST:PORT")
    chosen = options.parse_args()
    asyncio.run(_serve(chosen.listen.rpartition(":"), chosen.to.rpartition(":")))


async def _serve(listen, to):
    async def relay(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(to[0], int(to[2]))
        except OSError:
            writer.close()
            return
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))

    server = await asyncio.start_server(relay, listen[0], int(listen[2]))
    async with server:
        await server.serve_forever()


async def _pump(reader, writer):
    with contextlib.suppress(OSError):
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


if __name__ == "__main__":
    main()
