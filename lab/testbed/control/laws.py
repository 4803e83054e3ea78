# SPDX-License-Identifier: Apache-2.0
"""The control laws that Sluice on a controller runs, as its property `law` names them."""

SLUICE, SDN_GCC = LAWS = "sluice", "sdn-gcc"
