# SPDX-License-Identifier: Apache-2.0
"""What an experiment reports: expectations, the verdict, documents.

Here belongs what every experiment's result has in common. A table or a plot that only one kind of
experiment has belongs to that experiment.
"""
