# SPDX-License-Identifier: Apache-2.0
"""Send forged frames from inside a virtual machine."""

import socket
import time

from testbed.programs import clock, frames

PAUSE_SECONDS = 0.005


def main():
    """Send --count frames of each kind."""
    options = clock.parser(__doc__)
    options.add_argument("--device", required=True)
    options.add_argument("--macs", nargs=2, required=True, metavar=("OWN", "DESTINATION"))
    options.add_argument("--source", required=True)
    options.add_argument("--destination", required=True)
    options.add_argument("--other-source", required=True)
    options.add_argument("--control-protocol", type=int, required=True)
    options.add_argument("--kinds", nargs="+", choices=frames.KINDS, default=frames.KINDS)
    options.add_argument("--count", type=int, required=True)
    chosen = options.parse_args()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind((chosen.device, 0))
    for _ in range(chosen.count):
        for kind in chosen.kinds:
            wire.send(
                frames.forged(
                    kind,
                    chosen.source,
                    chosen.destination,
                    chosen.other_source,
                    chosen.macs,
                    chosen.control_protocol,
                )
            )
        time.sleep(PAUSE_SECONDS)
    print("{}", flush=True)


if __name__ == "__main__":
    main()
