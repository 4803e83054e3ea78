# SPDX-License-Identifier: Apache-2.0
"""The frames of attacks: well formed, but for what they lie about, and the same for a seed."""

import ipaddress
import itertools
import struct
from dataclasses import replace

import pytest

from testbed.programs import attack_frames, discovery_relay
from testbed.programs.attack_frames import Party, Scene, checksum, kind_of

ATTACKER = Party("02:00:00:00:01:0b", "10.0.0.11", "fd00:10::b")
RECEIVER = Party("02:00:00:00:01:0a", "10.0.0.10", "fd00:10::a")
VICTIM = Party("02:00:00:00:01:01", "10.0.0.1", "fd00:10::1")
SCENE = Scene(ATTACKER, RECEIVER, VICTIM, claimed="10.0.0.200")
FULL = {
    "group-mac",
    "unspecified-source",
    "link-local-source",
    "non-ip",
    "multicast",
    "broadcast",
    "encapsulated",
    "rotating-ports",
}


def some(kind, count=3, seed=1, scene=SCENE):
    return list(itertools.islice(attack_frames.frames(kind, scene, seed), count))


def first(kind, segments=0):
    return some(kind, 1, scene=replace(SCENE, segments=segments))[0]


def ethertype(frame):
    return struct.unpack_from("!H", frame, 12)[0]


def ipv4(frame):
    """(source, destination, protocol, payload) of a frame whose header must be right."""
    assert ethertype(frame) == 0x0800
    header = frame[14:34]
    assert checksum(header) == 0
    length = struct.unpack_from("!H", header, 2)[0]
    source, destination = (str(ipaddress.IPv4Address(header[at : at + 4])) for at in (12, 16))
    return source, destination, header[9], frame[34 : 14 + length]


def ipv6(frame):
    """The same of IPv6, whose transport's checksum must be right."""
    assert ethertype(frame) == 0x86DD
    _, length, protocol, hop_limit = struct.unpack_from("!IHBB", frame, 14)
    source, destination = (str(ipaddress.IPv6Address(frame[at : at + 16])) for at in (22, 38))
    payload = frame[54 : 54 + length]
    assert len(payload) == length
    pseudo = frame[22:54] + struct.pack("!IHBB", length, 0, 0, protocol)
    assert checksum(pseudo + payload) == 0
    assert hop_limit == (255 if protocol == 58 else 64)
    return source, destination, protocol, payload


def udp(frame):
    """(source port, destination port, payload) of a datagram whose checksum must be right."""
    source, destination, protocol, datagram = ipv4(frame)
    assert protocol == 17
    pseudo = b"".join(ipaddress.IPv4Address(each).packed for each in (source, destination))
    pseudo += struct.pack("!BBH", 0, 17, len(datagram))
    assert checksum(pseudo + datagram) == 0
    source_port, destination_port, length = struct.unpack_from("!HHH", datagram)
    assert length == len(datagram)
    return source_port, destination_port, datagram[8:]


def test_super_packets_have_a_virtio_header_and_tiny_segments():
    whole = first("super-packets")
    flags, gso, header_bytes, segment_bytes, begin, offset = struct.unpack("=BBHHHH", whole[:10])
    frame = whole[10:]
    assert (flags, gso, segment_bytes) == (1, 1, 2)
    assert len(frame) == attack_frames.FULL_FRAME_BYTES
    source, destination, protocol, segment = ipv4(frame)
    assert (source, destination, protocol) == (ATTACKER.ip, RECEIVER.ip, 6)
    assert (begin, header_bytes) == (34, 54)
    pseudo = frame[26:34] + struct.pack("!BBH", 0, 6, len(segment))
    assert segment[offset : offset + 2] == struct.pack("!H", ~checksum(pseudo) & 0xFFFF)
    assert kind_of(whole) == "super-packets"
    assert frame[0] & 1  # a group's


@pytest.mark.parametrize("kind", attack_frames.SEGMENTED)
def test_a_super_packet_is_many_of_the_frames_that_are_sent_else(kind):
    alone = first(kind)
    whole = first(kind, segments=40)
    flags, gso, header_bytes, segment_bytes, begin, offset = struct.unpack("=BBHHHH", whole[:10])
    frame = whole[10:]
    assert (flags, gso, begin + 8, offset) == (1, 5, header_bytes, 6)
    assert frame[header_bytes:] == 40 * alone[header_bytes:]
    assert segment_bytes == len(alone) - header_bytes
    assert frame[:14] == alone[:14]
    length = 8 + 40 * segment_bytes
    addresses = frame[26:34] if begin == 34 else frame[22:54]
    partial = ~checksum(addresses + struct.pack("!IHBB", length, 0, 0, 17)) & 0xFFFF
    assert frame[begin : begin + 8] == alone[begin : begin + 4] + struct.pack(
        "!HH", length, partial
    )


@pytest.mark.parametrize("kind", attack_frames.KINDS)
def test_every_frame_is_recognised_and_fits_the_wire(kind):
    header_bytes = 10 if attack_frames.have_virtio_header(kind, segments=0) else 0
    for frame in some(kind, 5):
        assert kind_of(frame) == kind
        assert 60 <= len(frame) - header_bytes <= 1514
    assert kind_of(b"\0" * 60) is None
    assert not discovery_relay.is_discovery(first(kind))


@pytest.mark.parametrize("kind", attack_frames.KINDS)
def test_a_seed_gives_the_same_frames(kind):
    assert some(kind, 50) == some(kind, 50)


@pytest.mark.parametrize("kind", ["pairs", "flows", "rotating-ports", "link-local-sources"])
def test_another_seed_gives_others(kind):
    assert some(kind, 50) != some(kind, 50, seed=2)


@pytest.mark.parametrize("kind", sorted(FULL))
def test_bulk_fills_frames(kind):
    assert {len(frame) for frame in some(kind)} == {1514}


def test_unicast_in_a_group_frame():
    frame = first("group-mac")
    assert frame[0] & 1
    assert ipv4(frame)[:2] == (ATTACKER.ip, RECEIVER.ip)


def test_unspecified_and_link_local_sources():
    assert ipv4(first("unspecified-source"))[:2] == ("0.0.0.0", RECEIVER.ip)
    source, destination, protocol, _ = ipv6(first("link-local-source"))
    assert ipaddress.IPv6Address(source).is_link_local
    assert (destination, protocol) == (RECEIVER.ip6, 17)


def test_a_group_has_its_ethernet_address():
    frame = first("multicast")
    assert frame[:6].hex() == "01005e560102"
    assert ipv4(frame)[1] == "239.86.1.2"


def test_a_broadcast_goes_to_all_hosts():
    frame = first("broadcast")
    assert frame[:6] == b"\xff" * 6
    assert ipv4(frame)[1] == "255.255.255.255"


def test_encapsulating_frames_contain_a_packet():
    frames = some("encapsulated")
    assert [ethertype(frame) for frame in frames] == [0x9100, 0x8847, 0x8864]
    for frame, head_bytes in zip(frames, (4, 4, 8), strict=True):
        inner = frame[:12] + b"\x08\x00" + frame[14 + head_bytes :]
        assert ipv4(inner)[:2] == (ATTACKER.ip, RECEIVER.ip)


def test_pairs_use_ever_new_unassigned_addresses():
    targets = {ipv4(frame)[1] for frame in some("pairs", 1000)}
    assert len(targets) > 990
    assert all(ipaddress.ip_address(each) in attack_frames.UNKNOWN_NETWORK for each in targets)


def test_connections_begin_and_differ():
    frames = some("connections", 100)
    for frame in frames:
        source, destination, protocol, segment = ipv4(frame)
        assert protocol == 6
        assert segment[13] == 0x02
        assert segment[12] >> 4 == 5
        pseudo = b"".join(ipaddress.IPv4Address(each).packed for each in (source, destination))
        pseudo += struct.pack("!BBH", 0, 6, len(segment))
        assert checksum(pseudo + segment) == 0
    assert len({ipv4(frame)[3][:2] for frame in frames}) == 100


@pytest.mark.parametrize("kind", ["flows", "rotating-ports"])
def test_flows_differ(kind):
    assert len({udp(frame)[:2] for frame in some(kind, 1000)}) > 990


def test_a_spoofed_mac_is_the_victims():
    frame = first("spoofed-mac")
    assert frame[6:12] == VICTIM.ethernet
    assert ipv4(frame)[0] == ATTACKER.ip


def test_arp_is_poisoned_both_ways():
    takes, gives = some("arp-poison", 2)
    for frame in (takes, gives):
        assert ethertype(frame) == 0x0806
        assert frame[6:12] == ATTACKER.ethernet
        assert struct.unpack_from("!HHBBH", frame, 14) == (1, 0x0800, 6, 4, 2)
    assert takes[22:32] == ATTACKER.ethernet + ipaddress.IPv4Address(RECEIVER.ip).packed
    assert gives[22:32] == VICTIM.ethernet + ipaddress.IPv4Address(ATTACKER.ip).packed


def test_a_sweep_requests_addresses_in_sequence():
    wanted = [str(ipaddress.IPv4Address(frame[38:42])) for frame in some("arp-sweep", 3)]
    assert wanted == ["10.0.1.0", "10.0.1.1", "10.0.1.2"]
    assert {frame[22:32] for frame in some("arp-sweep", 3)} == {
        ATTACKER.ethernet + ipaddress.IPv4Address(ATTACKER.ip).packed
    }


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("router-advertisements", 134),
        ("neighbour-advertisements", 136),
        ("link-local-sources", 135),
    ],
)
def test_neighbour_discovery_is_well_formed(kind, number):
    source, destination, protocol, message = ipv6(first(kind))
    assert protocol == 58
    assert message[0] == number
    assert ipaddress.IPv6Address(source).is_link_local
    assert ipaddress.IPv6Address(destination).is_multicast
    options = message[{134: 16, 135: 24, 136: 24}[number] :]
    while options:
        assert options[1] > 0
        options = options[options[1] * 8 :]


def test_an_interface_identifier_follows_from_the_ethernet_address():
    assert ipv6(first("router-advertisements"))[0] == "fe80::ff:fe00:10b"


def test_link_local_sources_differ_and_solicit_the_right_group():
    frames = some("link-local-sources", 500)
    assert len({ipv6(frame)[0] for frame in frames}) == 500
    assert ipv6(frames[0])[1] == "ff02::1:ff00:a"
    assert frames[0][:6].hex() == "3333ff00000a"


def test_an_offer_of_dhcp():
    source, destination, message = udp(first("dhcp-replies"))
    assert (source, destination) == (67, 68)
    assert message[0] == 2
    assert message[236:240] == b"\x63\x82\x53\x63"
    assert message[240:243] == b"\x35\x01\x02"
    assert message[-1] == 0xFF


def test_discovery_is_of_both_protocols():
    assert [ethertype(frame) for frame in some("discovery")] == [0x88CC, 0x88CC, 0x8942]
    frame = first("discovery")
    at, kinds = 14, []
    while True:
        head = struct.unpack_from("!H", frame, at)[0]
        kinds.append(head >> 9)
        at += 2 + (head & 0x1FF)
        if head >> 9 == 0:
            break
    assert kinds == [1, 2, 3, 127, 0]


def test_the_controllers_discovery_is_relayed():
    lldp = b"\xa5\x23\x05\x00\x00\x01" + b"\x02" * 6 + b"\x88\xcc" + b"\0" * 46
    assert discovery_relay.is_discovery(lldp)
    assert not discovery_relay.is_discovery(lldp[:12] + b"\x08\x00" + lldp[14:])


def test_a_claimed_address_is_announced_and_used():
    frames = some("claimed-address", 101)
    announcements = [frame for frame in frames if ethertype(frame) == 0x0806]
    assert frames.index(announcements[0]) == 0
    assert len(announcements) == 2
    claimed = ipaddress.IPv4Address(SCENE.claimed).packed
    assert announcements[0][28:32] == claimed
    assert announcements[0][38:42] == claimed
    assert {ipv4(frame)[0] for frame in frames[1:100]} == {SCENE.claimed}


def test_parties_are_written_as_they_are_read():
    assert Party.parse(str(ATTACKER)) == ATTACKER
