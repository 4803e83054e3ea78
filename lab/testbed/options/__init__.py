# SPDX-License-Identifier: Apache-2.0
"""What command lines of experiments are made of: options that several have, and their values.

Here belongs what more than one experiment declares. An option that one experiment has, and the
values that it takes, belong to that experiment.
"""
