# SPDX-License-Identifier: Apache-2.0
"""One entry of the catalogue."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault that can be made in a scene; run(scene) returns its Finding."""

    name: str
    summary: str
    seconds: int
    run: Callable
