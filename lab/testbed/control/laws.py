# SPDX-License-Identifier: Apache-2.0
"""The control laws."""

# Those that Sluice on a controller runs, as its property `law` names them.
SLUICE, SDN_GCC = LAWS = "sluice", "sdn-gcc"
# What agents run without a controller, as their configuration names it.
HYGENICC = "hygenicc"
