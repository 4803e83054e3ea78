# SPDX-License-Identifier: Apache-2.0
"""`lab/run deadlines`: flows with deadlines, without Sluice and with it."""
