# SPDX-License-Identifier: Apache-2.0
"""Have h2load request a page from a web server, at even instants, by a connection each (HTTP/1.1).

An open loop: h2load begins a connection every so often, whether or not those before have ended. The
report is {"requests": N, "micros": [from the request to the answer's last byte, ...]}: of those
that were answered with the page; connecting is not part of it, as h2load does not log that.
"""

import json
import subprocess

from testbed.programs import clock

PAGE_IS_HERE = "200"
ENDS_WITHIN_SECONDS = 5


def main():
    """Request from the start instant on; what is not answered at the stop instant is given up."""
    options = clock.parser(__doc__)
    options.add_argument("--url", required=True)
    options.add_argument("--every-millis", type=int, required=True, help="a connection, or several")
    options.add_argument("--at-once", type=int, default=1, help="connections at each instant")
    options.add_argument("--requests", type=int, required=True)
    options.add_argument("--log", required=True, help="h2load's, of its requests")
    chosen = options.parse_args()
    clock.sleep_until(chosen.start_nanos)
    print(json.dumps(load(chosen)), flush=True)


def command(url, every_millis, at_once, requests, log):
    """h2load's command line: one request for each connection."""
    return [
        *("h2load", "--h1", "--threads=1"),
        *(f"--rate={at_once}", f"--rate-period={every_millis}ms"),
        *(f"--clients={requests}", f"--requests={requests}", f"--log-file={log}", url),
    ]


def load(chosen):
    """Run h2load; returns the report."""
    words = command(*(chosen.url, chosen.every_millis, chosen.at_once), chosen.requests, chosen.log)
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as generator:
        try:
            generator.wait(max(0.001, (chosen.stop_nanos - clock.now_nanos()) / 1e9))
        except subprocess.TimeoutExpired:
            generator.terminate()
            generator.wait(ENDS_WITHIN_SECONDS)
    with open(chosen.log, encoding="ascii") as log:
        return {"requests": chosen.requests, "micros": page_micros(log)}


def page_micros(lines):
    """How long each page took, from h2load's log: instant, status, microseconds."""
    rows = (line.split("\t") for line in lines if line.endswith("\n"))
    return [int(micros) for _, status, micros, *_ in rows if status == PAGE_IS_HERE]


if __name__ == "__main__":
    main()
