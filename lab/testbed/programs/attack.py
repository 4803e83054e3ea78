# SPDX-License-Identifier: Apache-2.0
"""Send the frames of an attack from inside a virtual machine, at a fixed rate.

The report is one JSON line: {"frames": N, "bytes": N, "refused": N, "seconds": S}; refused are
those that the machine's own kernel did not take, because its queue was full. A super-packet is one.
"""

import json
import socket

from testbed.programs import attack_frames, clock

TICK_NANOS = 2_000_000
LARGEST_BATCH = 200  # what a late wake-up makes good
SOL_PACKET, PACKET_VNET_HDR = 263, 15


def main():
    """Attack from the start instant to the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--kind", choices=attack_frames.KINDS, required=True)
    options.add_argument("--rate", type=float, required=True, help="frames a second")
    options.add_argument("--seed", type=int, default=1)
    for party in ("attacker", "receiver", "victim"):
        options.add_argument(f"--{party}", type=attack_frames.Party.parse, metavar="MAC,IP,IP6")
    options.add_argument("--claimed", default="", help="an address that the attacker takes")
    options.add_argument(
        "--segments", type=int, default=0, help="full datagrams in one super-packet (none)"
    )
    chosen = options.parse_args()
    scene = attack_frames.Scene(
        *(chosen.attacker, chosen.receiver, chosen.victim, chosen.claimed, chosen.segments)
    )
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    if attack_frames.have_virtio_header(chosen.kind, chosen.segments):
        wire.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    wire.bind((chosen.device, 0))
    wire.setblocking(False)
    clock.sleep_until(chosen.start_nanos)
    frames = attack_frames.frames(chosen.kind, scene, chosen.seed)
    print(json.dumps(send(wire, frames, chosen.rate, chosen.stop_nanos)), flush=True)


def send(wire, frames, rate, stop_nanos):
    """Send frames at a constant rate; returns the report."""
    begun = clock.now_nanos()
    offered = sent_bytes = refused = 0
    skipped = 0  # of a wake-up that came too late
    while (now := clock.now_nanos()) < stop_nanos:
        due = int((now - begun) * rate / 1e9) - skipped - offered
        if due > LARGEST_BATCH:
            skipped += due - LARGEST_BATCH
            due = LARGEST_BATCH
        for _ in range(due):
            frame = next(frames)
            try:
                wire.send(frame)
                sent_bytes += len(frame)
            except OSError:
                refused += 1
        offered += max(due, 0)
        clock.sleep_until(now + TICK_NANOS)
    seconds = (clock.now_nanos() - begun) / 1e9
    return {
        "frames": offered,
        "bytes": sent_bytes,
        "refused": refused,
        "seconds": round(seconds, 3),
    }


if __name__ == "__main__":
    main()
