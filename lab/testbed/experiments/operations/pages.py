# SPDX-License-Identifier: Apache-2.0
"""Commands of a page: what its blocks of code have an operator type, and where."""

import itertools
import re
import textwrap
from dataclasses import dataclass

from testbed.system.errors import LabError
from testbed.system.repository import ROOT

PROMPT = "onos> "
_FILE = re.compile(r"<<(?P<end>[A-Z]+)$")
_FENCE = re.compile(r"\s*```")
# Of ONOS's shell, which has no comments; a shell's own are left to it.
_COMMENT = re.compile(r"\s{2,}# .*$")


@dataclass(frozen=True)
class Command:
    """One command: of ONOS's shell, or of a machine's."""

    text: str
    of_onos: bool


def commands(page, heading, begins):
    """The commands of the only block under a heading that begins with a text."""
    found = [each for each in _blocks(page, heading) if each.startswith(begins)]
    if len(found) != 1:
        raise LabError(
            f"{page}, {heading}: {len(found)} blocks begin with '{begins}', not one: the page or"
            " testbed/experiments/operations/steps.py has to change"
        )
    return list(_commands(found[0]))


def _blocks(page, heading):
    """The blocks of code of a section, fenced or indented."""
    block, is_fenced, before = [], False, ""
    for line in [*_section(page, heading), "end"]:
        is_fence = bool(_FENCE.match(line))
        is_indented = line.startswith("    ") and (block or not before.strip())
        if not is_fence and (is_fenced or is_indented or (block and not line.strip())):
            block.append(line)
        elif block:
            yield textwrap.dedent("\n".join(block)).strip("\n")
            block = []
        is_fenced ^= is_fence
        before = line


def _section(page, heading):
    """The lines from a heading to the next one of its level or above."""
    text = (ROOT / page).read_text(encoding="utf-8")
    begin = re.search(rf"^(#+) {re.escape(heading)}\n", text, re.MULTILINE)
    if begin is None:
        raise LabError(f"{page} has no heading '{heading}'")
    rest = text[begin.end() :]
    return re.split(rf"^#{{1,{len(begin[1])}}} ", rest, maxsplit=1, flags=re.MULTILINE)[
        0
    ].splitlines()


def _commands(block):
    """Its commands; those of more lines end with a backslash in all but the last.

    A file's lines follow its command, up to the line that this names (`<<END`).
    """
    lines = iter(re.sub(r"\\\n\s*", "", block).splitlines())
    for whole in lines:
        if file := _FILE.search(whole):
            rest = itertools.takewhile(lambda line: line.strip() != file["end"], lines)
            yield Command("\n".join([whole, *rest, file["end"]]), of_onos=False)
        elif whole.startswith(PROMPT):
            yield Command(_COMMENT.sub("", whole.removeprefix(PROMPT)), of_onos=True)
        elif whole.strip() and not whole.startswith("#"):
            yield Command(whole, of_onos=False)
