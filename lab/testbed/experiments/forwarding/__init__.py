# SPDX-License-Identifier: Apache-2.0
"""`lab/run forwarding` and `lab/run other-forwarding`: who forwards packets, and without a gap."""
