# SPDX-License-Identifier: Apache-2.0
"""`lab/run short-flows`: short requests beside greedy TCP, with and without levels."""
