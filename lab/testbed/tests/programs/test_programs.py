# SPDX-License-Identifier: Apache-2.0
"""The traffic programs, over the loopback device. Raw sockets need root."""

import argparse
import itertools
import json
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

from testbed.experiments.deadlines import small_scenario
from testbed.measure import shares
from testbed.measure.series import read_flows
from testbed.programs import (
    arrivals,
    clock,
    greedy_tcp,
    launch,
    open_loop,
    ping,
    route_metrics,
    tcp_send,
    transfer,
)
from testbed.system import polling, shell

SECOND = 1_000_000_000
LOOPBACKS = ("127.0.0.1", "::1")


def start(program, *arguments):
    return subprocess.Popen(
        launch.command(program, *map(str, arguments)),
        cwd=launch.PACKAGE_PARENT,
        stdout=subprocess.PIPE,
        text=True,
    )


def start_sink(series, port, stop_nanos):
    """A sink that listens on all loopback addresses."""
    sink = start(
        *("sink", "--bind", ",".join(LOOPBACKS), "--tcp-ports", port, "--udp-ports", port),
        *("--series", series, "--stop-nanos", stop_nanos),
    )
    polling.until(
        lambda: series.exists() and series.stat().st_size > 0,
        f"{series} to be written",
        timeout_seconds=20,
    )
    return sink


def mbps_while_growing(series, begin_nanos, end_nanos, bin_nanos=50_000_000):
    """Rate of a series from the first bin in which it grew to the last one.

    It does not depend on when the sender was scheduled first.
    """
    growing = [
        instant
        for instant, rate in series.binned_mbps(begin_nanos, end_nanos, bin_nanos)
        if rate > 0
    ]
    return series.mbps(growing[0], growing[-1])


@pytest.mark.root
@pytest.mark.parametrize("address", LOOPBACKS)
def test_sink_counts_what_the_senders_deliver(tmp_path, free_port, address):
    series = tmp_path / "flows.jsonl"
    begin = time.monotonic_ns()
    stop = begin + 4 * SECOND
    sink = start_sink(series, free_port, stop)
    common = ["--to", address, "--port", free_port, "--stop-nanos", stop - SECOND]
    tcp = start("tcp_send", *common, "--congestion-control", "reno", "--rate-mbps", 4)
    udp = start("flood", *common, "--rate-mbps", 8)
    report = json.loads(tcp.communicate(timeout=30)[0])
    udp.communicate(timeout=30)
    sink.communicate(timeout=30)
    assert "error" not in report
    assert 0 < report["connectMillis"] <= (time.monotonic_ns() - begin) / 1e6
    flows = read_flows(series)
    tcp_rate = mbps_while_growing(flows[f"tcp/{address}/{free_port}"], begin, stop)
    assert tcp_rate == pytest.approx(4, rel=0.25)
    payload_fraction = shares.PAYLOAD_FRACTION["udp6" if ":" in address else "udp"]
    udp_rate = mbps_while_growing(flows[f"udp/{address}/{free_port}"], begin, stop)
    assert udp_rate == pytest.approx(8 * payload_fraction, rel=0.1)


def test_an_unreachable_receiver_is_reported(free_port):
    sender = start(
        *("tcp_send", "--to", "127.0.0.1", "--port", free_port, "--congestion-control", "reno"),
        *("--stop-nanos", time.monotonic_ns() + SECOND),
    )
    report = json.loads(sender.communicate(timeout=10)[0])
    assert "refused" in report["error"]
    assert report["connectMillis"] is None


@pytest.mark.root  # a sink's socket buffer
def test_connections_of_one_program_are_distinguished(tmp_path, free_port):
    begin = time.monotonic_ns()
    sink = start_sink(tmp_path / "flows.jsonl", free_port, begin + 3 * SECOND)
    options = {"to": "127.0.0.1", "port": free_port, "congestion_control": "reno", "connections": 3}
    now = time.monotonic_ns()
    found = greedy_tcp.send(
        argparse.Namespace(
            **options,
            judged_from_nanos=now + SECOND // 5,
            judged_until_nanos=now + SECOND,
            stop_nanos=now + SECOND,
        )
    )
    sink.communicate(timeout=30)
    assert [each["congestionControl"] for each in found] == ["reno"] * 3
    assert all(each["mbps"] > 0 and each["deliveredCe"] == 0 for each in found)
    total = read_flows(tmp_path / "flows.jsonl")[f"tcp/127.0.0.1/{free_port}"]
    received = mbps_while_growing(total, begin, begin + 3 * SECOND)
    # What the judged time begins and ends with may differ from the rest by much on loopback.
    assert received / 10 < sum(each["mbps"] for each in found) < received * 10


def test_a_transfer_ends_when_its_last_byte_has_arrived(tmp_path, free_port):
    stop = time.monotonic_ns() + 20 * SECOND
    receiver = start("arrivals", "--bind", "127.0.0.1", "--ports", free_port, "--stop-nanos", stop)
    flow = {"to": "127.0.0.1", "port": free_port, "congestion_control": "reno"}
    try:
        report = {"lastByteNanos": None}
        while report["lastByteNanos"] is None:  # until the receiver listens
            assert time.monotonic_ns() < stop
            report = transfer.send(argparse.Namespace(**flow, bytes=300_000, stop_nanos=stop))
        assert report["synNanos"] < report["lastByteNanos"] < stop
        assert report["retransmits"] is not None
        # A transfer that is not complete in time has no last byte.
        late = transfer.send(
            argparse.Namespace(**flow, bytes=1 << 40, stop_nanos=time.monotonic_ns() + SECOND // 5)
        )
        assert late["lastByteNanos"] is None and "timed out" in late["error"]
    finally:
        receiver.terminate()
        receiver.communicate(timeout=10)


def test_a_burst_is_registered_and_sent(tmp_path, free_port):
    """By an agent that rejects the second transfer, which is sent all the same."""
    path = tmp_path / "flows.sock"
    answers = [{"id": 1, "promised": True}, {"status": 409, "detail": "too many"}]
    requests, received_nanos = [], []

    def serve(server):
        connection, _ = server.accept()
        with connection, connection.makefile("rw") as lines:
            for answer in answers:
                requests.append(json.loads(lines.readline())["register"])
                received_nanos.append(time.monotonic_ns())
                lines.write(json.dumps(answer) + "\n")
                lines.flush()

    begin = time.monotonic_ns() + SECOND
    stop = begin + 20 * SECOND
    receiver = start("arrivals", "--bind", "127.0.0.1", "--ports", free_port, "--stop-nanos", stop)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        agent = threading.Thread(target=serve, args=(server,))
        agent.start()
        sender = start(
            *("burst", "--to", "127.0.0.1", "--from", "127.0.0.1", "--agent", path),
            *("--transfer", f"{free_port}:9000:5000", "--transfer", f"{free_port}:20000:7000"),
            *("--congestion-control", "reno", "--start-nanos", begin, "--stop-nanos", stop),
        )
        try:
            sent = json.loads(sender.communicate(timeout=20)[0])["transfers"]
        finally:
            agent.join(timeout=10)
            receiver.terminate()
            receiver.communicate(timeout=10)
    assert [each["promised"] for each in sent] == [True, None]
    assert sent[1]["rejected"]["detail"] == "too many"
    assert all(begin <= each["synNanos"] < each["lastByteNanos"] < stop for each in sent)
    assert [each["timeouts"] for each in sent] == [0, 0]
    assert [each["sizeBytes"] for each in requests] == [9000, 20000]
    # Due after the instant at which they begin, whenever they are registered.
    assert requests[0]["dueInMillis"] == 5000 + requests[0]["beginsInMillis"]
    # It counted them before its request was received, and after this test had begun.
    least = max(0, begin - received_nanos[0]) // 1_000_000
    assert least <= requests[0]["beginsInMillis"] <= SECOND // 1_000_000
    assert requests[0]["force"]


@pytest.mark.parametrize("ahead_millis", [0, 300])
def test_short_flows_are_all_reported(free_port, ahead_millis):
    stop = time.monotonic_ns() + 40 * SECOND
    receiver = start("arrivals", "--bind", "127.0.0.1", "--ports", free_port, "--stop-nanos", stop)
    polling.until(
        lambda: socket.create_connection(("127.0.0.1", free_port), timeout=1).close() or True,
        "the receiver to listen",
        timeout_seconds=20,
    )
    begin = time.monotonic_ns() + SECOND
    window = (begin, begin + 2 * SECOND)
    sender = start(
        *("short_flows", "--to", "127.0.0.1", "--port", free_port, "--bytes", 10_000),
        *("--congestion-control", "reno", "--per-second", 20, "--seed", 7),
        *("--connect-ahead-millis", ahead_millis),
        *("--start-nanos", window[0], "--begin-until-nanos", window[1], "--stop-nanos", stop),
    )
    try:
        flows = json.loads(sender.communicate(timeout=20)[0])["flows"]
        due = open_loop.instants(7, 20, *window)
        assert len(flows) == len(due) > 0
        for flow, instant in zip(flows, due, strict=True):
            assert instant - ahead_millis * 1_000_000 <= flow["synNanos"]
            assert flow["synNanos"] < flow["firstByteNanos"] < flow["lastByteNanos"] < stop
            assert instant <= flow["firstByteNanos"]
    finally:
        receiver.terminate()
        receiver.communicate(timeout=10)


def test_only_metrics_of_tcp_are_recorded():
    listing = [
        {"dst": "default", "gateway": "10.0.0.9", "metrics": [{"mtu": 1400}]},
        {"dst": "10.0.0.0/24", "metrics": [{"mtu": 1400, "initcwnd": 20, "rto_min": 2}]},
        {"dst": "10.1.0.0/24"},
    ]
    assert route_metrics.metrics(listing) == {"10.0.0.0/24": {"initcwnd": 20, "rto_min": 2}}


@pytest.mark.root
def test_changes_of_routes_are_recorded(tmp_path):
    name = f"slc-test-routes-{time.monotonic_ns()}"
    series = tmp_path / "routes.jsonl"
    shell.run(["ip", "netns", "add", name])
    inside = ["ip", "-n", name]

    def history():
        text = series.read_text(encoding="utf-8") if series.exists() else ""
        return [json.loads(line)["routes"] for line in text.splitlines()]

    try:
        shell.run([*inside, "link", "set", "lo", "up"])
        recorder = subprocess.Popen(
            [
                *("ip", "netns", "exec", name),
                *launch.command("route_metrics", "--series", str(series)),
                *("--stop-nanos", str(time.monotonic_ns() + 60 * SECOND)),
            ],
            cwd=launch.PACKAGE_PARENT,
        )
        polling.until(history, "the first line", timeout_seconds=20)
        for metrics in (["initcwnd", "20"], []):
            shell.run([*inside, "route", "replace", "10.9.0.0/24", "dev", "lo", *metrics])
            wanted = {"10.9.0.0/24": {"initcwnd": 20}} if metrics else {}
            polling.until(lambda w=wanted: history()[-1] == w, str(wanted), timeout_seconds=20)
        recorder.terminate()
        recorder.wait(timeout=10)
    finally:
        shell.run(["ip", "netns", "del", name])


@pytest.mark.parametrize("piece", [1, 3, 8, 9, 1000])
def test_a_transfer_is_counted_in_pieces_of_any_size(piece):
    sent = arrivals.SIZE.pack(100) + bytes(92)
    transferred = arrivals.Transfer()
    last = [transferred.count(sent[at : at + piece]) for at in range(0, len(sent), piece)]
    assert last == [False] * (len(last) - 1) + [True]


def test_a_transfer_of_its_size_alone():
    assert arrivals.Transfer().count(arrivals.SIZE.pack(8))


@pytest.mark.root
def test_a_sampled_connection_records_its_round_trip(tmp_path, free_port, monkeypatch):
    monkeypatch.setattr(tcp_send, "ROUND_TRIP_NANOS", SECOND // 1000)
    series, samples = tmp_path / "flows.jsonl", tmp_path / "round-trips.jsonl"
    sink = start_sink(series, free_port, time.monotonic_ns() + 20 * SECOND)
    tcp_send.send(
        argparse.Namespace(
            to="127.0.0.1",
            port=free_port,
            congestion_control="reno",
            rate_mbps=0,
            stop_nanos=time.monotonic_ns() + SECOND // 5,
            round_trips=samples,
        )
    )
    sink.terminate()
    sink.communicate(timeout=10)
    round_trips = small_scenario.read_round_trips(samples)
    instants = [instant for instant, nanos in round_trips if nanos > 0]
    assert len(instants) >= 5
    assert instants == sorted(instants)


@pytest.mark.root
def test_a_paced_connection_reports_its_rate_when_interrupted(tmp_path, free_port):
    series = tmp_path / "flows.jsonl"
    stop = time.monotonic_ns() + 20 * SECOND
    sink = start_sink(series, free_port, stop)
    sender = start(
        *("paced_tcp", "--to", "127.0.0.1", "--port", free_port, "--congestion-control", "reno"),
        *("--rate-mbps", 100, "--stop-nanos", stop),
    )
    polling.until(lambda: read_flows(series), "the first bytes", timeout_seconds=10)
    sender.send_signal(signal.SIGINT)
    assert json.loads(sender.communicate(timeout=10)[0])["mbps"] > 0
    sink.terminate()
    sink.communicate(timeout=10)


@pytest.fixture
def schedule_begin(monkeypatch):
    """The instant that the next program takes for its beginning, however late it is scheduled."""
    begin = time.monotonic_ns()
    first = iter([begin])
    monkeypatch.setattr(clock, "now_nanos", lambda: next(first, None) or time.monotonic_ns())
    return begin


def test_probe_measures_round_trips(free_port):
    answerer = start(
        *("probe", "--answer-on", "127.0.0.1", "--port", free_port),
        *("--stop-nanos", time.monotonic_ns() + 60 * SECOND),
    )

    def requests_within(begin, nanos):
        """The report of a client, whose requests are due from begin on, however late it starts."""
        client = start(
            *("probe", "--to", "127.0.0.1", "--port", free_port, "--interval-millis", 20),
            *("--start-nanos", begin, "--stop-nanos", begin + nanos),
        )
        return json.loads(client.communicate(timeout=20)[0])

    try:
        polling.until(
            lambda: requests_within(time.monotonic_ns(), SECOND // 50)["samples"],
            "the answerer",
            timeout_seconds=20,
        )
        begin = time.monotonic_ns()
        report = requests_within(begin, SECOND)
        elapsed_millis = (time.monotonic_ns() - begin) / 1e6
    finally:
        answerer.terminate()
        answerer.communicate(timeout=10)
    assert report["requests"] == 50
    assert len(report["samples"]) >= 10
    assert all(begin <= instant for instant, _ in report["samples"])
    assert all(0 < millis < elapsed_millis for _, millis in report["samples"])


def test_checksum_of_an_echo_request_verifies():
    request = ping._request(request_type=8, identifier=7, sequence=3)
    assert ping.checksum(request) == 0
    assert struct.unpack_from("!B", request)[0] == 8


@pytest.mark.root
@pytest.mark.parametrize("address", LOOPBACKS)
def test_pings_are_answered(tmp_path, address, schedule_begin):
    ready_file = tmp_path / "ready"
    report = ping.ping(address, 20.0, schedule_begin + SECOND // 5, ready_file)
    assert ready_file.exists()
    assert report["requests"] == 10
    assert len(report["samples"]) == report["requests"]
    sent = [instant for instant, _ in report["samples"]]
    assert all(earlier < later for earlier, later in itertools.pairwise(sent))
