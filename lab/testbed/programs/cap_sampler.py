# SPDX-License-Identifier: Apache-2.0
"""Record what a port's background queues may send: by the kernel's classes, and by its agent.

Each line is {"tNanos": N, "ceilings": [bit/s of each background queue's class], "statusNanos": N,
"caps": [{"downstream", "capBitsPerSecond", "capEndsInMillis"}, ...]}. The kernel is read at tNanos
and the agent after it, at statusNanos: so a cap that was renewed meanwhile counts as renewed.
"""

import json
import socket
import struct

from testbed.programs import clock

RTM_NEWTCLASS, RTM_GETTCLASS = 40, 42
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST_DUMP = 0x301
TCA_OPTIONS, TCA_HTB_PARMS = 2, 1
HEADER = struct.Struct("=IHHII")  # struct nlmsghdr
CLASS = struct.Struct("=BxxxiIII")  # struct tcmsg
ATTRIBUTE = struct.Struct("=HH")
CEILING_AT = 20  # bytes a second, in struct tc_htb_opt: the rate of its second tc_ratespec
# Minor numbers of the classes of background queues (host-agent/internal/htb/background.go).
BACKGROUND_CLASSES = range(0x80, 0xC0)
KEPT = ("downstream", "capBitsPerSecond", "capEndsInMillis")
RECEIVE_BYTES = 1 << 16
STATUS_TIMEOUT_SECONDS = 5


def main():
    """Sample until the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--socket", required=True, help="the port agent's")
    options.add_argument("--device", required=True, help="whose classes these are")
    options.add_argument("--interval-millis", type=int, required=True)
    options.add_argument("--series", required=True)
    chosen = options.parse_args()
    index = socket.if_nametoindex(chosen.device)
    clock.sleep_until(chosen.start_nanos)
    with (
        open(chosen.series, "w", encoding="utf-8", buffering=1) as series,
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink,
    ):
        netlink.bind((0, 0))
        while (now := clock.now_nanos()) < chosen.stop_nanos:
            series.write(json.dumps(sample(netlink, index, chosen.socket)) + "\n")
            clock.sleep_until(now + chosen.interval_millis * 1_000_000)


def sample(netlink, index, path):
    """One line."""
    read_at = clock.now_nanos()
    ceilings = [
        ceiling
        for handle, ceiling in class_ceilings(netlink, index)
        if handle & 0xFFFF in BACKGROUND_CLASSES
    ]
    status_read_at = clock.now_nanos()
    queues = (status(path).get("background") or {}).get("queues", [])
    caps = [{name: queue[name] for name in KEPT} for queue in queues if queue["capBitsPerSecond"]]
    return {"tNanos": read_at, "ceilings": ceilings, "statusNanos": status_read_at, "caps": caps}


def class_ceilings(netlink, index):
    """(handle, ceiling in bit/s) of each HTB class of a device."""
    request = CLASS.pack(socket.AF_UNSPEC, index, 0, 0, 0)
    length = HEADER.size + len(request)
    netlink.send(HEADER.pack(length, RTM_GETTCLASS, NLM_F_REQUEST_DUMP, 1, 0) + request)
    found = []
    while True:
        for kind, payload in messages(netlink.recv(RECEIVE_BYTES)):
            if kind == NLMSG_DONE:
                return found
            if kind == NLMSG_ERROR:
                raise OSError(-struct.unpack_from("=i", payload)[0], "reading classes")
            if kind == RTM_NEWTCLASS:
                found += ceiling_of(payload)


def messages(received):
    """(type, payload) of the netlink messages in a datagram."""
    at = 0
    while at < len(received):
        length, kind, *_ = HEADER.unpack_from(received, at)
        yield kind, received[at + HEADER.size : at + length]
        at += aligned(length)


def ceiling_of(payload):
    """[(handle, ceiling in bit/s)] of a class message; empty where it is not HTB's."""
    _, _, handle, _, _ = CLASS.unpack_from(payload)
    options = attributes(payload[CLASS.size :]).get(TCA_OPTIONS, b"")
    parameters = attributes(options).get(TCA_HTB_PARMS)
    if parameters is None:
        return []
    return [(handle, 8 * struct.unpack_from("=I", parameters, CEILING_AT)[0])]


def attributes(encoded):
    """{type: value} of netlink attributes."""
    found = {}
    at = 0
    while at + ATTRIBUTE.size <= len(encoded):
        length, kind = ATTRIBUTE.unpack_from(encoded, at)
        found[kind] = encoded[at + ATTRIBUTE.size : at + length]
        at += aligned(max(length, ATTRIBUTE.size))
    return found


def aligned(length):
    """Netlink aligns to four bytes."""
    return (length + 3) & ~3


def status(path):
    """The status document of the agent behind a control socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as agent:
        agent.settimeout(STATUS_TIMEOUT_SECONDS)
        agent.connect(path)
        agent.sendall(b'{"command":"status"}\n')
        with agent.makefile() as answers:
            return json.loads(answers.readline())["result"]


if __name__ == "__main__":
    main()
