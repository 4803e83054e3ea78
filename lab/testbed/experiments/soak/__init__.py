# SPDX-License-Identifier: Apache-2.0
"""`lab/run soak`: endpoints, weights, agents, the controller come and go; nothing may pile up."""
