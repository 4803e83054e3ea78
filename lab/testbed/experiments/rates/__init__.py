# SPDX-License-Identifier: Apache-2.0
"""`lab/run mark-to-rate` and `lab/run rate-error`: how fast and how exact limits are."""
