# SPDX-License-Identifier: Apache-2.0
"""Count what a device receives for some time: bytes per IPv4 source, target and transport.

Prints {"10.0.0.1>10.0.0.3/tcp": bytes, ...} in one line at the end.
"""

import argparse
import json
import socket
import struct
import time

ETH_P_IP = b"\x08\x00"
# Taps for all protocols get packets before the port agent redirects them; others do not.
ETH_P_ALL = 0x0003
SNAPSHOT_BYTES = 14 + 20
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
TRANSPORTS = {socket.IPPROTO_TCP: "tcp", socket.IPPROTO_UDP: "udp"}


def main():
    """Count and report."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--seconds", type=float, required=True)
    chosen = options.parse_args()
    print(json.dumps(count(chosen.device, chosen.seconds)), flush=True)


def count(device, seconds):
    """Frame bytes by source, target and transport."""
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    tap.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    tap.bind((device, ETH_P_ALL))
    counted = {}
    end = time.monotonic() + seconds
    header = bytearray(SNAPSHOT_BYTES)
    while (remaining := end - time.monotonic()) > 0:
        tap.settimeout(remaining)
        try:
            length = tap.recv_into(header, SNAPSHOT_BYTES, socket.MSG_TRUNC)
        except TimeoutError:
            break
        name = describe(bytes(header))
        if name:
            counted[name] = counted.get(name, 0) + length
    return counted


def describe(header):
    """ "source>target/transport" of a frame's first bytes; None for all but IPv4's TCP and UDP."""
    if header[12:14] != ETH_P_IP:
        return None
    transport = TRANSPORTS.get(header[23])
    if transport is None:
        return None
    source, target = struct.unpack_from("4s4s", header, 26)
    return f"{socket.inet_ntoa(source)}>{socket.inet_ntoa(target)}/{transport}"


if __name__ == "__main__":
    main()
