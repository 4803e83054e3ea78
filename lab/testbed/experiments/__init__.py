# SPDX-License-Identifier: Apache-2.0
"""The experiments of `lab/run`: one module, or one package, for each.

Here belongs what is sent when, what is expected of it, and the tables and plots that only this
experiment has. A package imports another one only where `tests/test_rooms.py` names it.
"""
