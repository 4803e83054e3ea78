# SPDX-License-Identifier: Apache-2.0
"""A run from its beginning to its end, with Sluice deployed in its network.

Here belong the frame that removes whatever a run has made, bringing up controller, application,
switches and agents in their order, choosing signals, and restoring a controller that is not ours.
"""
