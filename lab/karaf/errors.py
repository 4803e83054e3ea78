# SPDX-License-Identifier: Apache-2.0
"""Errors reported to the user of a command."""


class LauncherError(Exception):
    """A failure with a message for the user; exit status 1."""


class FailedStartError(LauncherError):
    """A race between the controller's components, or a hang; another start may succeed."""


class UsageError(LauncherError):
    """A wrong option; the message names field, value and remedy; exit status 2."""
