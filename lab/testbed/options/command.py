# SPDX-License-Identifier: Apache-2.0
"""A command of `lab/run`, as experiments declare it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """add_options(parser) declares its options; run(options) returns the exit status."""

    name: str
    summary: str
    add_options: Callable
    run: Callable
