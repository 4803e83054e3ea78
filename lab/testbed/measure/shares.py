# SPDX-License-Identifier: Apache-2.0
"""Fair shares of a bottleneck, and how evenly senders reach them."""

FRAME_BYTES = 1514  # Ethernet header and a full IP packet: what the bottleneck counts
TCP_PAYLOAD_BYTES = 1448  # with the time-stamp option
TCP6_PAYLOAD_BYTES = 1428  # the same over IPv6
UDP_PAYLOAD_BYTES = 1472
UDP6_PAYLOAD_BYTES = 1452
PAYLOAD_FRACTION = {
    "tcp": TCP_PAYLOAD_BYTES / FRAME_BYTES,
    "tcp6": TCP6_PAYLOAD_BYTES / FRAME_BYTES,
    "udp": UDP_PAYLOAD_BYTES / FRAME_BYTES,
    "udp6": UDP6_PAYLOAD_BYTES / FRAME_BYTES,
}


def payload_key(transport, ip_version):
    """The key of PAYLOAD_FRACTION for "tcp" or "udp" over IPv4 (4) or IPv6 (6)."""
    return transport if ip_version == 4 else f"{transport}{ip_version}"


def fair_share_mbps(bottleneck_mbps, weight, active_weights, transport):
    """Payload rate of an endpoint that has its weighted share of the bottleneck's frame bytes.

    active_weights: weights of all endpoints that send, this one included.
    """
    return bottleneck_mbps * weight / sum(active_weights) * PAYLOAD_FRACTION[transport]


def jain(values):
    """Jain's fairness index of normalised rates: 1 when all are equal, 1/n when one has all.

    Source: Jain, Chiu and Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984. None when
    all rates are 0.
    """
    squares = sum(value * value for value in values)
    if squares == 0:
        return None
    return sum(values) ** 2 / (len(values) * squares)
