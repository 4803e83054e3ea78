# SPDX-License-Identifier: Apache-2.0
"""An open loop: things that begin at random instants, whether or not those before have ended."""

import random
import threading

from testbed.programs import clock


def add_options(options):
    """The instants' options, for a parser that has the window's."""
    options.add_argument("--per-second", type=float, required=True, help="instants, in the mean")
    options.add_argument("--at-once", type=int, default=1, help="so many at each instant")
    options.add_argument("--seed", type=int, required=True, help="of the instants")
    options.add_argument(
        "--begin-until-nanos", type=int, required=True, help="none begins after this instant"
    )


def run(chosen, once, ahead_nanos=0):
    """Call once(instant), in a thread of its own each time; all results, by instants.

    ahead_nanos: so long before the instant.
    """
    results = []
    threads = []

    def begin(place, due):
        results[place] = once(due)

    due_nanos = instants(
        chosen.seed, chosen.per_second, chosen.start_nanos, chosen.begin_until_nanos
    )
    for due in due_nanos:
        clock.sleep_until(due - ahead_nanos)
        for _ in range(chosen.at_once):
            results.append(None)
            threads.append(threading.Thread(target=begin, args=(len(results) - 1, due)))
            threads[-1].start()
    for thread in threads:
        thread.join()
    return results


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
