# SPDX-License-Identifier: Apache-2.0
"""TCP transfers of one machine that all begin at the same instant, registered right before.

The report is {"transfers": [what transfer reports, ...]}, in the order in which they are given.
Where they are registered, by the local socket of the host's agent, each has "promised" as well: the
agent's answer, null if it rejects the request, with "rejected" (its problem document) then.
"""

import argparse
import json
import socket
import threading

from testbed.programs import clock, transfer

ANSWER_SECONDS = 5


def main():
    """Begin all at the start instant; end when all have ended, at the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--congestion-control", required=True)
    options.add_argument("--from", dest="source", help="own address, to register by")
    options.add_argument("--agent", metavar="SOCKET", help="register there; none: do not")
    options.add_argument("--register-nanos", type=int, default=0, help="at this instant")
    options.add_argument(
        "--transfer",
        dest="transfers",
        metavar="PORT:BYTES:DUE_MILLIS",
        action="append",
        required=True,
        help="due so long after the start instant",
    )
    chosen = options.parse_args()
    transfers = [tuple(map(int, words.split(":"))) for words in chosen.transfers]
    clock.sleep_until(chosen.register_nanos)
    promises = register(chosen, transfers) if chosen.agent else [{} for _ in transfers]
    clock.sleep_until(chosen.start_nanos)
    reports = [
        report | promise for report, promise in zip(run(chosen, transfers), promises, strict=True)
    ]
    print(json.dumps({"transfers": reports}), flush=True)


def register(chosen, transfers):
    """Register all of them, even those that cannot be in time: what their reports have of it."""
    found = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as agent:
        agent.settimeout(ANSWER_SECONDS)
        agent.connect(chosen.agent)
        answers = agent.makefile()
        for port, size, due_millis in transfers:
            begins_in_nanos = max(0, chosen.start_nanos - clock.now_nanos())
            request = {
                "source": chosen.source,
                "destination": chosen.to,
                "destinationPort": port,
                "sizeBytes": size,
                "dueInMillis": begins_in_nanos // 1_000_000 + due_millis,
                "beginsInMillis": begins_in_nanos // 1_000_000,
                "force": True,
            }
            agent.sendall(json.dumps({"register": request}).encode() + b"\n")
            answer = json.loads(answers.readline())
            promised = answer.get("promised")
            found.append({"promised": promised})
            if promised is None:
                found[-1]["rejected"] = answer
    return found


def run(chosen, transfers):
    """Do all of them, each in a thread of its own; their reports."""
    reports = [None] * len(transfers)

    def send(place, port, size):
        words = {**vars(chosen), "port": port, "bytes": size}
        reports[place] = transfer.send(argparse.Namespace(**words))

    threads = [
        threading.Thread(target=send, args=(place, port, size))
        for place, (port, size, _) in enumerate(transfers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return reports


if __name__ == "__main__":
    main()
