# SPDX-License-Identifier: Apache-2.0
"""Runs the lab's ONOS: a Karaf with ONOS's own jars and stand-ins."""
