# SPDX-License-Identifier: Apache-2.0
"""Requesting pages from a web server, and what h2load logs of that."""

import argparse
import http.server
import threading
import time

import pytest

from testbed.programs import open_loop, web_load, web_requests
from testbed.programs.web_requests import Page, WrongAnswer

SECOND = 1_000_000_000
HEADERS = b"HTTP/1.1 200 OK\r\nServer: nginx\r\nCONTENT-LENGTH: 10\r\n\r\n"


@pytest.mark.parametrize("piece", [1, 3, len(HEADERS), len(HEADERS) + 2, 1000])
def test_a_page_is_counted_in_pieces_of_any_size(piece):
    answer = HEADERS + bytes(10)
    page = Page()
    complete = [page.count(answer[at : at + piece]) for at in range(0, len(answer), piece)]
    assert complete == [False] * (len(complete) - 1) + [True]


def test_an_empty_page_is_complete_with_its_headers():
    assert Page().count(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\n", "403 Forbidden"),
        (b"HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n", "no Content-Length"),
        (b"x" * 9000, "headers without an end"),
    ],
)
def test_other_responses_are_failures(answer, reason):
    with pytest.raises(WrongAnswer, match=reason):
        Page().count(answer)


@pytest.fixture
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/page" else 404)
            self.send_header("Content-Length", "10000")
            self.end_headers()
            self.wfile.write(bytes(10_000 if self.path != "/half" else 5_000))

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield listening
        listening.shutdown()
        thread.join()


def fetch(port, path="/page"):
    stop_nanos = time.monotonic_ns() + 20 * SECOND
    return web_requests.fetch(
        argparse.Namespace(to="127.0.0.1", port=port, path=path, stop_nanos=stop_nanos)
    )


def test_a_page_takes_from_its_syn_to_its_last_byte(server):
    before = time.monotonic_ns()
    report = fetch(server.server_port)
    assert before <= report["synNanos"] < report["lastByteNanos"] <= time.monotonic_ns()
    assert "error" not in report


def test_other_responses_have_no_last_byte(server, free_port):
    missing = fetch(server.server_port, "/elsewhere")
    assert missing["lastByteNanos"] is None and "404" in missing["error"]
    refused = fetch(free_port)
    assert refused["lastByteNanos"] is None and "refused" in refused["error"]


def test_h2loads_log_is_read_to_its_last_whole_line():
    lines = ["1795484879964927\t200\t155\n", "1795484880015403\t503\t160\n", "17\t-1\t9\n", "1\t20"]
    assert web_load.page_micros(lines) == [155]


def test_h2load_opens_a_connection_for_each_request_at_even_instants():
    words = web_load.command("http://10.0.0.1/page", 50, 2, 240, "log")
    assert {"--h1", "--rate=2", "--rate-period=50ms", "--clients=240", "--requests=240"} <= set(
        words
    )


def test_several_may_begin_at_the_same_instant():
    begin = time.monotonic_ns()
    chosen = argparse.Namespace(
        seed=3, per_second=100, at_once=3, start_nanos=begin, begin_until_nanos=begin + SECOND // 10
    )
    due = open_loop.instants(3, 100, begin, begin + SECOND // 10)
    assert len(open_loop.run(chosen, lambda due: time.monotonic_ns())) == 3 * len(due) > 0
