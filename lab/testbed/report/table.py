# SPDX-License-Identifier: Apache-2.0
"""The table that an experiment prints, from its columns."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """text(row) is what a row has in it."""

    head: str
    width: int
    text: Callable
    side: str = ">"


def left(head, width, text):
    """A column of words."""
    return Column(head, width, text, "<")


def lines(columns, rows):
    """The lines of a table, the first of which are the heads."""
    cells = [[column.head for column in columns]]
    cells += [[column.text(row) for column in columns] for row in rows]
    return [
        "".join(
            f"{cell!s:{column.side}{column.width}}"
            for column, cell in zip(columns, row, strict=True)
        ).rstrip()
        for row in cells
    ]
