# SPDX-License-Identifier: Apache-2.0
"""Short TCP flows at random instants, whether or not those before them have ended.

Each is a connection of its own that sends so many bytes and waits for the answer. The instants are
a Poisson process. The report is {"flows": [what transfer reports, ...]}, in the order of instants.
"""

import json
import random
import threading

from testbed.programs import clock, transfer


def main():
    """Begin flows from the start instant on; end when all have ended, at the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--bytes", type=int, required=True, help="of each flow, from 8 up")
    options.add_argument("--per-second", type=float, required=True, help="flows, in the mean")
    options.add_argument("--seed", type=int, required=True, help="of the instants")
    options.add_argument(
        "--begin-until-nanos", type=int, required=True, help="no flow begins after this instant"
    )
    chosen = options.parse_args()
    print(json.dumps({"flows": send_all(chosen)}), flush=True)


def send_all(chosen):
    """Send all flows; returns their reports."""
    reports = []
    threads = []

    def send(place):
        reports[place] = transfer.send(chosen)

    due_nanos = instants(
        chosen.seed, chosen.per_second, chosen.start_nanos, chosen.begin_until_nanos
    )
    for place, due in enumerate(due_nanos):
        clock.sleep_until(due)
        reports.append(None)
        threads.append(threading.Thread(target=send, args=(place,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return reports


def instants(seed, per_second, begin_nanos, end_nanos):
    """Instants of a Poisson process within an interval, ascending, the same for a seed."""
    chance = random.Random(seed)
    found = []
    instant = begin_nanos
    while True:
        instant += int(chance.expovariate(per_second) * 1e9)
        if instant >= end_nanos:
            return found
        found.append(instant)


if __name__ == "__main__":
    main()
