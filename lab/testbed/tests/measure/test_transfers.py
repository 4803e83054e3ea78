# SPDX-License-Identifier: Apache-2.0
"""Transfers count from the SYN to the last byte."""

from testbed.measure.transfers import late_millis, took_millis


def test_a_transfer_takes_from_its_syn_to_its_last_byte():
    report = {"synNanos": 7_000_000, "lastByteNanos": 9_500_000}
    assert (took_millis(report), late_millis(report, 5_000_000)) == (2.5, 2.0)


def test_what_did_not_happen_has_no_time():
    assert took_millis({"synNanos": 7_000_000, "lastByteNanos": None}) is None
    never = {"synNanos": None, "lastByteNanos": None}
    assert (took_millis(never), late_millis(never, 0)) == (None, None)
