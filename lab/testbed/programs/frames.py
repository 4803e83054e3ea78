# SPDX-License-Identifier: Apache-2.0
"""Forged frames: building them, and recognising them where they arrive."""

import ipaddress
import struct

MARKER = b"sluice-forged:"
ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES = 14, 20, 8
ETHERTYPE_IPV4 = 0x0800
PROTOCOL_UDP = 17
TIME_TO_LIVE = 64
UDP_PORT = 7999
RESERVED_BIT = 0x8000
CE = 3
# What is forged: the control protocol, a mark, the reserved bit, another's address.
CONTROL, MARK, RESERVED, SPOOFED, HONEST = KINDS = "control", "ce", "reserved", "spoofed", "honest"


def forged(kind, source, destination, other_source, macs, control_protocol):
    """One frame of a kind.

    source, destination, other_source: IPv4 addresses; macs: (own, destination's), as text;
    other_source: the source address of SPOOFED.
    """
    payload = MARKER + kind.encode()
    protocol = control_protocol if kind == CONTROL else PROTOCOL_UDP
    if protocol == PROTOCOL_UDP:
        # Zero means that there is no checksum, RFC 768.
        payload = struct.pack("!HHHH", UDP_PORT, UDP_PORT, UDP_BYTES + len(payload), 0) + payload
    header = ipv4_header(
        other_source if kind == SPOOFED else source,
        destination,
        protocol,
        len(payload),
        ecn=CE if kind == MARK else 0,
        flags=RESERVED_BIT if kind == RESERVED else 0,
    )
    own, other = (bytes.fromhex(mac.replace(":", "")) for mac in macs)
    return other + own + struct.pack("!H", ETHERTYPE_IPV4) + header + payload


def ipv4_header(source, destination, protocol, payload_bytes, *, ecn=0, flags=0):
    """An IPv4 header without options, its checksum right."""
    addresses = (ipaddress.IPv4Address(text).packed for text in (source, destination))
    words = (0x45, ecn, IPV4_BYTES + payload_bytes, 1, flags, TIME_TO_LIVE, protocol)
    blank = struct.pack("!BBHHHBBH4s4s", *words, 0, *addresses)
    total = sum(struct.unpack("!10H", blank))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return blank[:10] + struct.pack("!H", ~total & 0xFFFF) + blank[12:]


def recognise(frame):
    """(kind, what is still forged about it) of a frame made here; None for any other.

    What is still forged is one of "control", "ce", "reserved", or None: addresses are not compared.
    """
    begin = frame.find(MARKER)
    if begin < 0 or len(frame) < ETHERNET_BYTES + IPV4_BYTES:
        return None
    kind = frame[begin + len(MARKER) :].split(b"\0")[0].decode("ascii", "replace")
    _, ecn, _, _, flags, _, protocol = struct.unpack_from("!BBHHHBB", frame, ETHERNET_BYTES)
    still = None
    if protocol != PROTOCOL_UDP:
        still = CONTROL
    elif flags & RESERVED_BIT:
        still = RESERVED
    elif ecn & 3 == CE:
        still = MARK
    return kind, still
