# SPDX-License-Identifier: Apache-2.0
"""Shares while the controller is dead and after its return, by law."""
