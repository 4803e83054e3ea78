# SPDX-License-Identifier: Apache-2.0
"""The experiments of `lab/run`: one package for each, which imports none of the others.

In each belongs what is sent when, what is expected of it, and the options, tables and plots that
only this experiment has. What several have is in a lower package.
"""
