# SPDX-License-Identifier: Apache-2.0
"""What a user is told when a command cannot be carried out."""


class LauncherError(Exception):
    """A failure with a message for the user; exit status 1."""


class UnluckyStartError(LauncherError):
    """ONOS stumbled over its own order of starting, or hangs; another start may do."""


class UsageError(LauncherError):
    """A wrong option; the message names field, value and remedy; exit status 2."""
