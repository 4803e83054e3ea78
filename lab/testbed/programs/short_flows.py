# SPDX-License-Identifier: Apache-2.0
"""Short TCP flows at random instants, whether or not those before them have ended.

Each is a connection of its own that sends so many bytes and waits for the answer. The instants are
a Poisson process: of the SYNs, or of the first bytes where connections are there before. The
report is {"flows": [what transfer reports, ...]}, in the order of instants.
"""

import json

from testbed.programs import clock, open_loop, transfer


def main():
    """Begin flows from the start instant on; end when all have ended, at the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--bytes", type=int, required=True, help="of each flow, from 8 up")
    options.add_argument(
        "--connect-ahead-millis", type=int, default=0, help="connect so long before the instant"
    )
    options.add_argument("--no-delay", action="store_true", help="as servers set it: TCP_NODELAY")
    open_loop.add_options(options)
    chosen = options.parse_args()
    flows = open_loop.run(
        chosen,
        lambda due: transfer.send(chosen, due, no_delay=chosen.no_delay),
        ahead_nanos=chosen.connect_ahead_millis * 1_000_000,
    )
    print(json.dumps({"flows": flows}), flush=True)


if __name__ == "__main__":
    main()
