# SPDX-License-Identifier: Apache-2.0
"""`lab/run dumbbell`: one TCP tenant and three UDP floods over one bottleneck, phase by phase."""
