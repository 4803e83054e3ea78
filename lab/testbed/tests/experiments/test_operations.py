# SPDX-License-Identifier: Apache-2.0
"""What the pages have an operator type."""

import pytest

from testbed.experiments.operations import pages
from testbed.experiments.operations.steps import BEFORE, COPIED, NAMES, STEPS
from testbed.system.errors import LabError

PAGE = """# Page

## Use

    first --of-all   # why

Text.

1. A step:
   ```
   onos> cfg set a b
   onos> cfg set c \\
     d      # in ONOS's shell
   ```
    no block, but this step's text

### Below

    second \\
      --longer
    # nothing but a comment

    third
## Next

    elsewhere
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    return lambda begins, heading="Use": pages.commands("page.md", heading, begins)


def test_blocks_are_typed_line_by_line(page):
    assert page("first") == [pages.Command("first --of-all   # why", of_onos=False)]
    assert page("onos> cfg") == [
        pages.Command("cfg set a b", of_onos=True),
        pages.Command("cfg set c d", of_onos=True),
    ]
    assert [each.text for each in page("second")] == ["second --longer", "third"]
    assert page("second", "Below") == page("second")


@pytest.mark.parametrize(
    "begins, heading", [("elsewhere", "Use"), ("no block", "Use"), ("first", "Used")]
)
def test_what_is_not_there_is_no_step(page, begins, heading):
    with pytest.raises(LabError, match=r"page\.md"):
        page(begins, heading)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_each_step_stands_on_its_page(step):
    assert pages.commands(step.page, step.heading, step.begins)


def test_tables_are_about_what_there_is():
    names = {step.name for step in STEPS}
    typed = [
        command.text
        for step in STEPS
        for command in pages.commands(step.page, step.heading, step.begins)
    ]
    assert names >= {*COPIED, *BEFORE}
    assert all(any(name in text for text in typed) for name in NAMES)
