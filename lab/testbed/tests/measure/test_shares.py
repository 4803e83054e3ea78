# SPDX-License-Identifier: Apache-2.0
"""Fair shares and Jain's index."""

import pytest

from testbed.measure import shares


def test_four_equal_senders_share_the_frame_bytes():
    assert shares.fair_share_mbps(50, 1, [1, 1, 1, 1], "tcp") == pytest.approx(12.5 * 1448 / 1514)
    assert shares.fair_share_mbps(50, 1, [1, 1, 1, 1], "udp") == pytest.approx(12.5 * 1472 / 1514)


def test_weights_divide_the_bottleneck():
    double = shares.fair_share_mbps(50, 2, [2, 1, 1, 1], "udp")
    single = shares.fair_share_mbps(50, 1, [2, 1, 1, 1], "udp")
    assert double == pytest.approx(2 * single)
    assert double == pytest.approx(20 * 1472 / 1514)


def test_a_single_sender_gets_the_link():
    assert shares.fair_share_mbps(50, 2, [2], "tcp") == pytest.approx(50 * 1448 / 1514)


@pytest.mark.parametrize(
    ("values", "index"),
    [([1, 1, 1, 1], 1.0), ([4, 0, 0, 0], 0.25), ([3], 1.0), ([1, 2], 0.9), ([0, 0], None)],
)
def test_jain(values, index):
    assert shares.jain(values) == (None if index is None else pytest.approx(index))


@pytest.mark.parametrize(
    ("ip_version", "tcp_payload", "udp_payload"), [(4, 1448, 1472), (6, 1428, 1452)]
)
def test_longer_headers_leave_less_payload(ip_version, tcp_payload, udp_payload):
    for transport, payload in (("tcp", tcp_payload), ("udp", udp_payload)):
        kind = shares.payload_key(transport, ip_version)
        assert shares.fair_share_mbps(1514, 1, [1], kind) == pytest.approx(payload)
