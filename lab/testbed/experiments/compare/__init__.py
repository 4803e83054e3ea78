# SPDX-License-Identifier: Apache-2.0
"""All systems that run on real packets, in turns on one dumbbell with one mixture of traffic."""
