# SPDX-License-Identifier: Apache-2.0
"""How long requests took."""

from testbed.measure.request_times import request_times

MILLI = 1_000_000


def test_a_request_without_an_answer_took_all_its_time():
    flows = [
        {"synNanos": 10 * MILLI, "lastByteNanos": 25 * MILLI},
        {"synNanos": 20 * MILLI, "lastByteNanos": None},
    ]
    assert request_times(flows, stop_nanos=120 * MILLI) == ([15, 100], 1)
