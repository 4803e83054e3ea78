# SPDX-License-Identifier: Apache-2.0
"""When the connections of a phase begin, and from when on the phase is judged."""

FRESH_AFTER_NANOS = 500_000_000
SETTLING_NANOS = 2_000_000_000
