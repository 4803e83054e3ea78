# SPDX-License-Identifier: Apache-2.0
"""Where a process listens."""

import socket
from pathlib import Path


def listening(pid: int) -> set[tuple[str, int]]:
    """IPv4 address and TCP port of each listening socket of a process."""
    sockets = {descriptor.readlink() for descriptor in Path(f"/proc/{pid}/fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and Path(f"socket:[{fields[9]}]") in sockets:
                address, _, port = fields[1].rpartition(":")
                found.add((socket.inet_ntoa(bytes.fromhex(address[-8:])[::-1]), int(port, 16)))
    return found
