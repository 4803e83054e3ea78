# SPDX-License-Identifier: Apache-2.0
"""The traffic programs, over the loopback device and without root."""

import argparse
import json
import socket
import struct
import subprocess
import time

import pytest

from testbed.experiments.deadlines import small_scenario
from testbed.measure.series import read_flows
from testbed.programs import arrivals, clock, launch, ping, probe, tcp_send, transfer, udp_flood

SECOND = 1_000_000_000
LOOPBACKS = ("127.0.0.1", "::1")


@pytest.fixture
def free_port():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def start(program, *words):
    return subprocess.Popen(
        launch.command(program, *map(str, words)),
        cwd=launch.PACKAGE_PARENT,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for(path):
    deadline = time.monotonic() + 10
    while not (path.exists() and path.stat().st_size):
        assert time.monotonic() < deadline, f"{path} was not written"
        time.sleep(0.01)


@pytest.mark.parametrize("address", LOOPBACKS)
def test_sink_counts_what_the_senders_deliver(tmp_path, free_port, address):
    series = tmp_path / "flows.jsonl"
    stop = time.monotonic_ns() + 5 * SECOND
    sink = start(
        *("sink", "--bind", *LOOPBACKS, "--tcp-ports", free_port, "--udp-ports", free_port),
        *("--series", series, "--stop-nanos", stop),
    )
    wait_for(series)
    begin = time.monotonic_ns() + 3 * SECOND // 2  # a busy machine starts programs slowly
    common = ["--to", address, "--port", free_port, "--start-nanos", begin]
    tcp = start(
        *("tcp_send", *common, "--congestion-control", "reno", "--rate-mbps", 4),
        *("--stop-nanos", begin + SECOND),
    )
    udp = start("udp_flood", *common, "--rate-mbps", 8, "--stop-nanos", begin + SECOND)
    report = json.loads(tcp.communicate(timeout=10)[0])
    udp.communicate(timeout=10)
    sink.communicate(timeout=10)
    assert "error" not in report
    assert report["connectMillis"] < 1000
    flows = read_flows(series)
    received = {name: flow.at(1 << 62) for name, flow in flows.items()}
    assert received[f"tcp/{address}/{free_port}"] == pytest.approx(500_000, rel=0.25)
    payload_bytes = udp_flood.PAYLOAD_BYTES[clock.family(address)]
    expected_payload = 1_000_000 * payload_bytes / udp_flood.FRAME_BYTES
    assert received[f"udp/{address}/{free_port}"] == pytest.approx(expected_payload, rel=0.1)


def test_unreachable_receiver_is_reported(free_port):
    sender = start(
        *("tcp_send", "--to", "127.0.0.1", "--port", free_port, "--congestion-control", "reno"),
        *("--stop-nanos", time.monotonic_ns() + SECOND),
    )
    report = json.loads(sender.communicate(timeout=10)[0])
    assert "refused" in report["error"]
    assert report["connectMillis"] is None


def test_a_transfer_ends_when_its_last_byte_has_arrived(tmp_path, free_port):
    stop = time.monotonic_ns() + 5 * SECOND
    receiver = start("arrivals", "--bind", "127.0.0.1", "--ports", free_port, "--stop-nanos", stop)
    words = {"to": "127.0.0.1", "port": free_port, "congestion_control": "reno"}
    told = {"lastByteNanos": None}
    while told["lastByteNanos"] is None:  # the receiver needs a moment to start
        assert time.monotonic_ns() < stop
        told = transfer.send(argparse.Namespace(**words, bytes=300_000, stop_nanos=stop))
    assert told["synNanos"] < told["lastByteNanos"] < stop
    assert told["retransmits"] is not None
    # What cannot be through in time is told as such.
    late = transfer.send(
        argparse.Namespace(**words, bytes=1 << 40, stop_nanos=time.monotonic_ns() + SECOND // 5)
    )
    assert late["lastByteNanos"] is None and "timed out" in late["error"]
    receiver.communicate(timeout=10)


@pytest.mark.parametrize("piece", [1, 3, 8, 9, 1000])
def test_a_transfer_is_counted_in_whatever_pieces_it_comes(piece):
    sent = arrivals.SIZE.pack(100) + bytes(92)
    taken = arrivals.Transfer()
    last = [taken.count(sent[at : at + piece]) for at in range(0, len(sent), piece)]
    assert last == [False] * (len(last) - 1) + [True]


def test_a_transfer_of_its_size_alone():
    assert arrivals.Transfer().count(arrivals.SIZE.pack(8))


def test_a_watched_connection_tells_its_round_trip(tmp_path, free_port):
    series, samples = tmp_path / "flows.jsonl", tmp_path / "round-trips.jsonl"
    stop = time.monotonic_ns() + 2 * SECOND
    sink = start(
        *("sink", "--bind", "127.0.0.1", "--tcp-ports", free_port, "--udp-ports", free_port),
        *("--series", series, "--stop-nanos", stop),
    )
    wait_for(series)
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
    sink.communicate(timeout=10)
    instants = [instant for instant, nanos in small_scenario.read_round_trips(samples) if nanos > 0]
    assert len(instants) >= 5
    assert instants == sorted(instants)


def test_probe_measures_round_trips(free_port):
    stop = time.monotonic_ns() + SECOND
    answerer = start(
        "probe", "--answer-on", "127.0.0.1", "--port", free_port, "--stop-nanos", stop + SECOND
    )
    report = probe.request(
        argparse.Namespace(to="127.0.0.1", port=free_port, interval_millis=20.0, stop_nanos=stop)
    )
    answerer.communicate(timeout=10)
    assert report["requests"] == pytest.approx(50, abs=2)
    # The answerer needs a moment to start, so the first requests may be lost.
    assert len(report["samples"]) >= 10
    assert all(0 < millis < 1000 for _, millis in report["samples"])


def test_checksum_of_an_echo_request_verifies():
    request = ping._request(request_type=8, identifier=7, sequence=3)
    assert ping.checksum(request) == 0
    assert struct.unpack_from("!B", request)[0] == 8


@pytest.mark.parametrize("address", LOOPBACKS)
def test_pings_are_answered(tmp_path, address):
    """Raw sockets need root."""
    ready_file = tmp_path / "ready"
    report = ping.ping(address, 20.0, time.monotonic_ns() + SECOND // 5, ready_file)
    assert ready_file.exists()
    assert report["requests"] == pytest.approx(10, abs=2)
    assert len(report["samples"]) == report["requests"]
