# SPDX-License-Identifier: Apache-2.0
"""Runs a controller in Karaf, in a directory of its own: what lab/onos and lab/odl share."""
