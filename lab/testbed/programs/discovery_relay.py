# SPDX-License-Identifier: Apache-2.0
"""Give a controller's discovery frames to an accomplice elsewhere, and send out what it gives.

Two machines that do this forge a link between their ports. They talk by
UDP, as any two machines may. The report is one JSON line: {"given": N, "sent": N}.
"""

import contextlib
import json
import select
import socket

from testbed.programs import attack_frames, clock

ETH_P_ALL = 0x0003
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
LONGEST_FRAME = 2048
PORT = 7998
DISCOVERY = {ethertype.to_bytes(2, "big") for ethertype in (attack_frames.LLDP, attack_frames.BDDP)}


def main():
    """Relay from the start instant to the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--own", required=True, help="own address")
    options.add_argument("--accomplice", required=True, help="the other one's address")
    chosen = options.parse_args()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    wire.bind((chosen.device, ETH_P_ALL))
    tunnel = socket.socket(clock.family(chosen.own), socket.SOCK_DGRAM)
    tunnel.bind((chosen.own, PORT))
    clock.sleep_until(chosen.start_nanos)
    print(json.dumps(relay(wire, tunnel, chosen.accomplice, chosen.stop_nanos)), flush=True)


def relay(wire, tunnel, accomplice, stop_nanos):
    """Relay both ways until an instant; returns the report."""
    given = sent = 0
    while (remaining := stop_nanos - clock.now_nanos()) > 0:
        readable, _, _ = select.select([wire, tunnel], [], [], remaining / 1e9)
        with contextlib.suppress(OSError):
            if wire in readable:
                frame = wire.recv(LONGEST_FRAME)
                if is_discovery(frame):
                    tunnel.sendto(frame, (accomplice, PORT))
                    given += 1
            if tunnel in readable:
                wire.send(tunnel.recv(LONGEST_FRAME))
                sent += 1
    return {"given": given, "sent": sent}


def is_discovery(frame):
    """Whether a frame is LLDP or BDDP, and no frame of an attack."""
    return frame[12:14] in DISCOVERY and attack_frames.kind_of(frame) is None


if __name__ == "__main__":
    main()
