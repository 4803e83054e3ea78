# SPDX-License-Identifier: Apache-2.0
"""Pages of a web server at random instants, whether or not those before them have arrived.

Each is requested on a connection of its own (HTTP/1.1). The instants are a Poisson process. The
report is {"flows": [{"synNanos": N, "lastByteNanos": N}, ...]}, in the order of instants; the last
byte's is null where the stop instant came before the whole page, with "error".
"""

import json
import socket

from testbed.programs import clock, open_loop

BUFFER_BYTES = 1 << 16
HEADERS_END = b"\r\n\r\n"
MOST_HEADER_BYTES = 1 << 13


class WrongAnswer(Exception):
    """The server answered something else than the page."""


class Page:
    """What was received of an answer."""

    def __init__(self):
        self.head = b""
        self.left = None

    def count(self, received):
        """Count what was received; returns whether the page is complete."""
        if self.left is None:
            self.head += received
            headers, separator, body = self.head.partition(HEADERS_END)
            if not separator:
                if len(self.head) > MOST_HEADER_BYTES:
                    raise WrongAnswer("headers without an end")
                return False
            self.left = content_length(headers)
            received = body
        self.left -= len(received)
        return self.left <= 0


def content_length(headers):
    """The size of the page that an answer's headers announce."""
    status, *lines = headers.decode("ascii", "replace").split("\r\n")
    if status.split(" ")[1:2] != ["200"]:
        raise WrongAnswer(status)
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    raise WrongAnswer("no Content-Length")


def main():
    """Request pages from the start instant on; end when all have arrived, at the stop instant."""
    options = clock.parser(__doc__)
    options.add_argument("--to", required=True)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--path", required=True)
    open_loop.add_options(options)
    chosen = options.parse_args()
    flows = open_loop.run(chosen, lambda due: fetch(chosen))
    print(json.dumps({"flows": flows}), flush=True)


def fetch(chosen):
    """Request a page; returns its report."""
    request = f"GET {chosen.path} HTTP/1.1\r\nHost: {chosen.to}\r\nConnection: close\r\n\r\n"
    report = {"synNanos": clock.now_nanos(), "lastByteNanos": None}
    page = Page()
    with socket.socket(clock.family(chosen.to), socket.SOCK_STREAM) as connection:
        try:
            connection.settimeout(_remaining_seconds(chosen))
            connection.connect((chosen.to, chosen.port))
            connection.sendall(request.encode())
            is_complete = False
            while not is_complete:
                connection.settimeout(_remaining_seconds(chosen))
                received = connection.recv(BUFFER_BYTES)
                arrived = clock.now_nanos()
                if not received:
                    raise WrongAnswer("the connection ended within the page")
                is_complete = page.count(received)
            report["lastByteNanos"] = arrived
        except (OSError, ValueError, WrongAnswer) as failure:
            report["error"] = str(failure) or type(failure).__name__
    return report


def _remaining_seconds(chosen):
    return max(0.001, (chosen.stop_nanos - clock.now_nanos()) / 1e9)


if __name__ == "__main__":
    main()
