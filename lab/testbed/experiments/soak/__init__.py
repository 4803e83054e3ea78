# SPDX-License-Identifier: Apache-2.0
"""`lab/run soak`: endpoints, weights, agents and the controller come and go for a long time."""
