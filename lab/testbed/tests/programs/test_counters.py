# SPDX-License-Identifier: Apache-2.0
"""Counting packets by their DSCP, and reading classes from the kernel's messages."""

import socket
import struct

import pytest

from testbed.programs import cap_sampler, dscp_counter, incoming

MACS = bytes(12)
MARKER = b"sluice-dscp-counter"
CLASS_AT = 0x51CE0081


def ipv4(tos):
    return MACS + b"\x08\x00" + bytes([0x45, tos]) + bytes(18)


def ipv6(traffic_class):
    return MACS + b"\x86\xdd" + struct.pack("!I", 6 << 28 | traffic_class << 20) + bytes(36)


def passes(frame):
    """Runs the filter as the kernel does."""
    at, accumulator = 0, 0
    while True:
        code, if_true, if_false, operand = dscp_counter.FILTER[at]
        at += 1
        if code == dscp_counter.RETURN:
            return operand > 0
        if code == dscp_counter.LOAD_HALF:
            accumulator = int.from_bytes(frame[operand : operand + 2], "big")
        elif code == dscp_counter.LOAD_BYTE:
            accumulator = frame[operand]
        else:
            is_jump = code == dscp_counter.JUMP_EQUAL
            holds = accumulator == operand if is_jump else accumulator & operand
            at += if_true if holds else if_false


@pytest.mark.parametrize("dscp", [0, 1, 16, 46, 63])
@pytest.mark.parametrize("ecn", [0, 3])
@pytest.mark.parametrize("make", [ipv4, ipv6])
def test_packets_are_counted_by_their_dscp_whatever_their_ecn(make, dscp, ecn):
    frame = make(dscp << 2 | ecn)
    assert dscp_counter.dscp_of(frame) == dscp
    assert passes(frame) == (dscp != 0)
    counts = {}
    dscp_counter.count(counts, frame)
    assert counts == ({str(dscp): 1} if dscp else {})


def test_what_is_not_ip_has_no_dscp():
    arp = MACS + b"\x08\x06" + b"\xff" * 28
    assert dscp_counter.dscp_of(arp) is None
    assert not passes(arp)
    assert dscp_counter.dscp_of(bytes(9)) is None


@pytest.mark.root
def test_the_kernel_gives_a_filtered_socket_packets_with_a_dscp_alone():
    counts = {}
    with (
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(incoming.ETH_P_ALL)) as wire,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        dscp_counter.leave_out_others(wire)
        wire.setsockopt(incoming.SOL_PACKET, incoming.PACKET_IGNORE_OUTGOING, 1)
        wire.bind(("lo", 0))
        wire.settimeout(5)
        receiver.bind(("127.0.0.1", 0))
        for dscp in (0, 34, 0, 34, 46):
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
            sender.sendto(MARKER, receiver.getsockname())
        while counts.get("46") is None:  # the last
            frame = wire.recv(incoming.LONGEST_FRAME)
            assert dscp_counter.dscp_of(frame) != 0
            if MARKER in frame:  # others may use the device, too
                dscp_counter.count(counts, frame)
    assert counts == {"34": 2, "46": 1}


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def class_message(handle, ceiling_bytes, kind=b"htb\0"):
    """RTM_NEWTCLASS as the kernel sends it."""
    rates = struct.pack("=BBHhHI", 0, 1, 0, -1, 0, 1) + struct.pack(
        "=BBHhHI", 0, 1, 0, -1, 0, ceiling_bytes
    )
    parameters = rates + struct.pack("=5I", 3, 4, 5, 6, 7)
    options = attribute(cap_sampler.TCA_HTB_PARMS, parameters)
    return (
        cap_sampler.CLASS.pack(0, 7, handle, 0x51CE0001, 0)
        + attribute(1, kind)
        + attribute(cap_sampler.TCA_OPTIONS, options)
    )


def test_a_class_has_its_ceiling_in_bits_a_second():
    assert cap_sampler.ceiling_of(class_message(CLASS_AT, 1_562_500)) == [(CLASS_AT, 12_500_000)]


def test_a_class_of_another_kind_has_none():
    bare = cap_sampler.CLASS.pack(0, 7, CLASS_AT, 0, 0) + attribute(1, b"fq_codel\0")
    assert cap_sampler.ceiling_of(bare) == []


def test_a_datagram_has_several_messages_of_any_length():
    first, second = class_message(1, 2), b"12345"
    datagram = b"".join(
        cap_sampler.HEADER.pack(16 + len(payload), kind, 0, 1, 0)
        + payload
        + bytes(-len(payload) % 4)
        for kind, payload in ((cap_sampler.RTM_NEWTCLASS, first), (9, second))
    )
    assert list(cap_sampler.messages(datagram)) == [(cap_sampler.RTM_NEWTCLASS, first), (9, second)]


class FakeKernel:
    """Answers a dump of classes in two datagrams."""

    def __init__(self, classes):
        def datagram(kind, payload):
            return cap_sampler.HEADER.pack(16 + len(payload), kind, 0, 1, 0) + payload

        self.answers = [datagram(cap_sampler.RTM_NEWTCLASS, each) for each in classes]
        self.answers.append(datagram(cap_sampler.NLMSG_DONE, bytes(4)))

    def send(self, request):
        assert request[4:6] == struct.pack("=H", cap_sampler.RTM_GETTCLASS)

    def recv(self, size):
        return self.answers.pop(0)


def test_a_sample_has_the_ceilings_of_background_queues_and_the_caps_that_are_known(monkeypatch):
    queues = [
        {"downstream": "of:2/6", "capBitsPerSecond": 9, "capEndsInMillis": 70, "sentBytes": 1},
        {"downstream": "of:2/1", "capBitsPerSecond": 0, "capEndsInMillis": 0, "sentBytes": 1},
    ]
    monkeypatch.setattr(cap_sampler, "status", lambda path: {"background": {"queues": queues}})
    kernel = FakeKernel([class_message(CLASS_AT, 2_000_000), class_message(0x51CE0002, 3_000_000)])
    line = cap_sampler.sample(kernel, 7, "agent.sock")
    assert line["ceilings"] == [16_000_000]
    assert line["caps"] == [
        {"downstream": "of:2/6", "capBitsPerSecond": 9, "capEndsInMillis": 70},
    ]
    assert line["tNanos"] <= line["statusNanos"]


def test_a_port_without_levels_has_no_caps(monkeypatch):
    monkeypatch.setattr(cap_sampler, "status", lambda path: {"port": "of:1/5"})
    assert cap_sampler.sample(FakeKernel([]), 7, "agent.sock")["caps"] == []
