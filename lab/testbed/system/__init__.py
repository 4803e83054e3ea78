# SPDX-License-Identifier: Apache-2.0
"""What every part builds on: this machine's commands, processes and processors.

Here belong running commands and finding processes, polling for a state, what the processors do,
what has to be installed, errors and progress. Nothing here knows a network, agent or controller.
"""
