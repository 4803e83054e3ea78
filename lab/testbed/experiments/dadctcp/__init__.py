# SPDX-License-Identifier: Apache-2.0
"""`lab/run dadctcp`: congestion controls of senders, and marks by slope, on real packets."""
